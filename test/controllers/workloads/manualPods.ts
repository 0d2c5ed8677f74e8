import { compareByCreation } from "../../../src/kubernetes/meta/objectOrder.ts"
import { isPodFinished, isPodReady } from "../../../src/kubernetes/pods/podState.ts"
import { openCluster } from "../../../src/cluster/openCluster.ts"
import { timestampOf } from "../../../src/kubernetes/meta/amounts/timestamps.ts"
import type { KubeObject, Manifest, Pod } from "../../../src/kubernetes/meta/objects.ts"
import type { OpenCluster } from "../../../src/cluster/openCluster.ts"

/** What happens, and what is to be seen two seconds later. */
export type Step = readonly [happens: string, seen: string]

/** How one Pod is called in a step, `0` or `db-1`, and how it is described. */
export interface StoryKind {
  readonly resource: "jobs.batch" | "statefulsets.apps" | "daemonsets.apps"
  readonly nameOf: (pod: Pod) => string
  readonly describe: (object: KubeObject, pods: ReadonlyArray<Pod>) => string
}

/**
 * Plays a story in a cluster whose Pods change only by its steps: `run 0,1` makes Pods ready, `start 0` runs them
 * without,
 * `fail 0 exit=3 condition=DisruptionTarget` and `succeed 0` end them, `delete 0` deletes them, `reap 0` takes them
 * away;
 * `all` names all that have not ended. `set {…}` changes the spec, `wait 10s` lets time pass, `node {…}` changes
 * node-1. Returns what was seen after each step.
 */
export const playManualStory = async (
  kind: StoryKind,
  manifest: Manifest,
  { steps, nodes = 3 }: { readonly steps: ReadonlyArray<Step>; readonly nodes?: number }
): Promise<ReadonlyArray<Step>> => {
  await using cluster = await openCluster({ behaviour: "manual", nodes, startMillis: 1_767_225_600_500 })
  const { name } = manifest.metadata as { readonly name: string }
  const seen: Array<Step> = []
  for (const [happens] of steps) {
    await perform(cluster, kind, manifest, happens)
    await cluster.advance("2s")
    const pods = await podsOf(cluster)
    const found = (await cluster.list(kind.resource)).items.find(({ metadata }) => metadata.name === name)
    seen.push([happens, found === undefined ? "gone" : kind.describe(found, pods)])
  }
  return seen
}

const podsOf = async (cluster: OpenCluster): Promise<ReadonlyArray<Pod>> =>
  [...(await cluster.list("pods")).items].sort(
    (a, b) => compareByCreation(a, b) || a.metadata.name.localeCompare(b.metadata.name)
  )

const perform = async (
  cluster: OpenCluster,
  kind: StoryKind,
  manifest: Manifest,
  happens: string
): Promise<void> => {
  const [verb = "", what = "", ...details] = happens.split(" ")
  const rest = [what, ...details].join(" ")
  const address = { resource: kind.resource, name: manifest.metadata?.name ?? "" } as const
  if (verb === "create") return void (await cluster.create(manifest))
  if (verb === "set") return void (await cluster.patch(address, { spec: JSON.parse(rest) as object }))
  if (verb === "wait") return cluster.advance(what)
  if (verb === "remove")
    return void (await cluster.delete(address, { propagationPolicy: what as "Foreground" }))
  if (verb === "node")
    return void (await cluster.patch({ resource: "nodes", name: "node-1" }, JSON.parse(rest) as object))
  const options = new Map(details.map((it) => it.split("=") as [string, string]))
  const chosen = (await podsOf(cluster)).filter(
    (pod) => !isPodFinished(pod) && (what === "all" || what.split(",").includes(kind.nameOf(pod)))
  )
  if (chosen.length === 0) throw new Error(`no Pod to ${happens}`)
  for (const pod of chosen) await change(cluster, pod, verb, options)
}

const change = async (
  cluster: OpenCluster,
  pod: Pod,
  verb: string,
  options: ReadonlyMap<string, string>
): Promise<void> => {
  const address = { resource: "pods", name: pod.metadata.name } as const
  if (verb === "delete") return void (await cluster.delete(address))
  if (verb === "reap") return void (await cluster.delete(address, { gracePeriodSeconds: 0 }))
  const phase = { run: "Running", start: "Running", fail: "Failed", succeed: "Succeeded" }[verb]
  if (phase === undefined) throw new Error(`there is no step ${verb}`)
  const now = timestampOf(cluster.now().getTime())
  const more = options.get("condition")
  const exitCode = Number(options.get("exit") ?? (verb === "fail" ? 1 : 0))
  const ended = { state: { terminated: { exitCode, startedAt: now, finishedAt: now } } }
  const restarts = Number(options.get("restarts") ?? 0)
  await cluster.patch(
    address,
    {
      status: {
        phase,
        conditions: [
          { type: "Ready", status: verb === "run" ? "True" : "False", lastTransitionTime: now },
          ...(more === undefined ? [] : [{ type: more, status: "True", lastTransitionTime: now }])
        ],
        containerStatuses: [
          {
            name: "app",
            image: "app:1",
            imageID: "",
            ready: verb === "run",
            restartCount: restarts,
            ...(phase === "Running" ? {} : ended)
          }
        ]
      }
    },
    { status: true }
  )
}

/** `ready`, `running`, `pending`, `failed`, `succeeded`, with `-` in front while it is terminating. */
export const podText = (pod: Pod): string => {
  const { phase } = pod.status
  const state = phase === "Running" ? (isPodReady(pod) ? "ready" : "running") : phase.toLowerCase()
  return `${pod.metadata.deletionTimestamp === undefined ? "" : "-"}${state}`
}

export const countsText = (counts: Readonly<Record<string, number | string | undefined>>): string =>
  Object.entries(counts)
    .filter(([, count]) => count !== undefined && count !== 0 && count !== "")
    .map(([name, count]) => `${name}=${count}`)
    .join(" ")
