/** How many nodes a cluster has where nobody says. */
export const nodesDefault = 3
