/** A client without a field manager. */
export const unnamedClient = "a client"

const writerTexts: Readonly<Record<string, string>> = {
  clients: unnamedClient,
  faults: "a fault",
  garbageCollector: "the garbage collector",
  podGarbageCollector: "the Pod garbage collector",
  node: "the node lifecycle controller",
  pod: "a kubelet",
  replicaSet: "the ReplicaSet controller",
  deployment: "the Deployment controller",
  resourceQuota: "the quota controller",
  disruptionBudget: "the disruption controller",
  scheduler: "the scheduler"
}

export const writerText = (writer: string): string => writerTexts[writer] ?? `the ${writer} controller`
