module {
func.func @p0(%a: tensor<4x6xi8>, %i: tensor<2x1xi32>, %u: tensor<2x6xi8>) {
%0 = "stablehlo.scatter"(%a, %i, %u) ({
^bb0(%x: tensor<i8>, %y: tensor<i8>):
 %s = "stablehlo.add"(%x, %y) : (tensor<i8>, tensor<i8>) -> tensor<i8>
 "stablehlo.return"(%s) : (tensor<i8>) -> ()
}) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>} : (tensor<4x6xi8>, tensor<2x1xi32>, tensor<2x6xi8>) -> tensor<4x6xi8>
return
}
}
