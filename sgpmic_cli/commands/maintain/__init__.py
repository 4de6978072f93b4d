"""The commands that watch over the numbers, the speed and the installation."""
