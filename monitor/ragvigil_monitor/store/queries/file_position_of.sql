-- Up to where is a file stored that others write?
SELECT position, tail FROM file_positions WHERE folder = $folder AND inode = $inode;
