"""The commands that check the numbers and describe the installation."""
