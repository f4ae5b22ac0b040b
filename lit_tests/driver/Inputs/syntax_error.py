class Oops(
