/** Default number of nodes in a cluster. */
export const nodesDefault = 3
