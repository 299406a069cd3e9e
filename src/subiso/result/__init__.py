"""What comes out of a match: streams of rows in many forms, and the table of a motif count."""
