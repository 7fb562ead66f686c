fn main() {
    keops_build::compile();
}
