use keops::keops;

keops! {}

fn main() {}
