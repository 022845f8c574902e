"""Five by five with lines of four: the kernel, its search and its book of openings."""
