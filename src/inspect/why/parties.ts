/** Somebody from outside who has left no name. */
export const someClient = "a client"

const texts: Readonly<Record<string, string>> = {
  clients: someClient,
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

/** Who writes where no actor does. */
export const partyText = (party: string): string => texts[party] ?? `the ${party} controller`
