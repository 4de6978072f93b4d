"""What is to be computed: methods, data sets, protocol, and the cells and runs that follow from them."""
