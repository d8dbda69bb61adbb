@main
struct Till { static func main() {} }
