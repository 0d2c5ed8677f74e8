/** Default number of nodes in a cluster. */
export const defaultNodeCount = 3
