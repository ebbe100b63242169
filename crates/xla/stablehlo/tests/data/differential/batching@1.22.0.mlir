module {
func.func @p0(%a: tensor<4x6xf32>, %i: tensor<4x1xi32>, %u: tensor<4x2xf32>) {
%0 = "stablehlo.scatter"(%a, %i, %u) ({
^bb0(%x: tensor<f32>, %y: tensor<f32>):
 %s = "stablehlo.add"(%x, %y) : (tensor<f32>, tensor<f32>) -> tensor<f32>
 "stablehlo.return"(%s) : (tensor<f32>) -> ()
}) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 1>} : (tensor<4x6xf32>, tensor<4x1xi32>, tensor<4x2xf32>) -> tensor<4x6xf32>
return
}
}
