module {
func.func @p0(%a: tensor<4x3xf32>, %i: tensor<f32>) {
%0 = "stablehlo.reduce"(%a, %i) ({
^bb0(%x: tensor<f64>, %y: tensor<f64>):
 %s = "stablehlo.add"(%x, %y) : (tensor<f64>, tensor<f64>) -> tensor<f64>
 "stablehlo.return"(%s) : (tensor<f64>) -> ()
}) {dimensions = array<i64: 0>} : (tensor<4x3xf32>, tensor<f32>) -> tensor<3xf64>
return
}
}
