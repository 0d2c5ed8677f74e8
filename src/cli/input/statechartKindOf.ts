const namesByKind: Readonly<Record<string, ReadonlyArray<string>>> = {
  Deployment: ["deployment", "deployments", "deploy"],
  ReplicaSet: ["replicaset", "replicasets", "rs"],
  Pod: ["pod", "pods", "po"],
  Container: ["container", "containers"],
  Node: ["node", "nodes", "no"]
}

const kindsByName: ReadonlyMap<string, string> = new Map(
  Object.entries(namesByKind).flatMap(([kind, all]) => all.map((word) => [word, kind] as const))
)

/** The kind with a statechart that kubectl knows by a name, in any case. */
export const statechartKindOf = (word: string): string | undefined => kindsByName.get(word.toLowerCase())
