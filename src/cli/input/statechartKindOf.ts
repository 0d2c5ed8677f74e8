const namesByKind: Readonly<Record<string, ReadonlyArray<string>>> = {
  Deployment: ["deployment", "deployments", "deploy"],
  ReplicaSet: ["replicaset", "replicasets", "rs"],
  Pod: ["pod", "pods", "po"],
  Container: ["container", "containers"],
  Node: ["node", "nodes", "no"]
}

const kindsByName: ReadonlyMap<string, string> = new Map(
  Object.entries(namesByKind).flatMap(([kind, names]) => names.map((name) => [name, kind] as const))
)

/** Returns the kind for a name that kubectl takes, such as `deploy`, in any case; undefined if it has no statechart. */
export const statechartKindOf = (name: string): string | undefined => kindsByName.get(name.toLowerCase())
