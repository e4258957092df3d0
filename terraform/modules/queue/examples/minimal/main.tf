module "orders" {
  source = "../.."

  name             = "webordinary-orders.fifo"
  dead_letter_name = "webordinary-orders-dlq.fifo"
  location         = { partition = "aws", region = "eu-west-1", account = "123456789012" }
}
