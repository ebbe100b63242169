// Adds two vectors.
func.func @main(%a: tensor<3xf32>, %b: tensor<3xf32>) -> tensor<3xf32> {
  %sum = stablehlo.add %a, %b : tensor<3xf32>
  return %sum : tensor<3xf32>
}
