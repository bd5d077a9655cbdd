package trace

// PerBlock is the number of operations of a block.
const PerBlock = perBlock
