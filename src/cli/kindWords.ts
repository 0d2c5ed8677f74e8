const words: Readonly<Record<string, ReadonlyArray<string>>> = {
  Deployment: ["deployment", "deployments", "deploy"],
  ReplicaSet: ["replicaset", "replicasets", "rs"],
  Pod: ["pod", "pods", "po"],
  Container: ["container", "containers"],
  Node: ["node", "nodes", "no"]
}

const kinds: ReadonlyMap<string, string> = new Map(
  Object.entries(words).flatMap(([kind, all]) => all.map((word) => [word, kind] as const))
)

/** The kind that has a statechart of its own and that `kubectl` knows under a word, whatever its capitals. */
export const kindOfWord = (word: string): string | undefined => kinds.get(word.toLowerCase())
