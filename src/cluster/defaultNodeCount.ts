export const defaultNodeCount = 3
