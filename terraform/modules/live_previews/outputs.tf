output "listener_arn" {
  description = "ARN of the listener whose rules the broker changes."
  value       = aws_lb_listener.this.arn
}

output "origin" {
  description = "The load balancer as a CloudFront origin: its internal domain name and the id of the VPC origin."
  value       = { domain_name = aws_lb.this.dns_name, vpc_origin_id = aws_cloudfront_vpc_origin.this.id }
}
