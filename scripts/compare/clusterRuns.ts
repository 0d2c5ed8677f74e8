// Runs clusters of one tree's library and writes everything that they store, record and say.
// node clusterRuns.ts TREE OUT SEEDS
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { inspect } from "node:util"
import { answersOf } from "./requests.ts"
import { manifests, randomFaults, randomWrites } from "./randomWrites.ts"
import type * as Library from "charthouse"
import type * as Charts from "charthouse/charts"
import type * as Planning from "charthouse/plan"
import type * as Stories from "charthouse/scenario"
import type { OpenCluster } from "charthouse"

const [tree = "", out = "", seedsText = "20"] = process.argv.slice(2)
const seeds = Number(seedsText)
/** A storm writes ten megabytes. */
const stormsCount = Math.max(1, Math.round(seeds * 0.4))
const load = (name: string): Promise<unknown> => import(join(tree, `dist/src/packed/library/${name}.js`))
const library = (await load("index")) as typeof Library
const planning = (await load("plan")) as typeof Planning
const charts = (await load("charts")) as typeof Charts
const stories = (await load("scenario")) as typeof Stories
mkdirSync(out, { recursive: true })

const write = (name: string, text: string): void => writeFileSync(join(out, name), text)
/** Maps, sets and the order of fields are kept. */
const textOf = (value: unknown): string =>
  inspect(value, {
    depth: Infinity,
    maxArrayLength: Infinity,
    maxStringLength: Infinity,
    breakLength: 120,
    compact: false
  })
const failureOf = (error: unknown): string => {
  if (!(error instanceof Error)) return textOf(error)
  const { stack: _, ...fields } = error as Error & Record<string, unknown>
  return `${error.name}: ${error.message} ${textOf({ ...fields })}`
}
const attempt = async (act: () => unknown): Promise<string> => {
  try {
    const result = await act()
    return typeof result === "string" ? result : textOf(result)
  } catch (error) {
    return failureOf(error)
  }
}

const steady = library.steady
const behaviours = [
  {
    ...steady,
    name: "crashing",
    match: { image: "*:v3" },
    exit: { after: { uniform: ["100ms", "4s"] }, times: 2 }
  },
  { ...steady, name: "looping", match: { image: "*:v4" }, exit: { after: "1s" } },
  { ...steady, name: "broken", match: { image: "*:v5" }, pull: { delay: "500ms", failures: "forever" } },
  { ...steady, name: "flapping", match: { image: "*:v6" }, flap: { ready: "5s", unready: "2s", times: 3 } }
] as const

/** A small generator of the same numbers everywhere (mulberry32). */
const makeChance = (seed: number) => {
  let state = seed
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
  const below = (count: number): number => Math.floor(next() * count)
  const of = <A>(items: ReadonlyArray<A>): A => items[below(items.length)] as A
  return { below, of }
}
export type Chance = ReturnType<typeof makeChance>

const objectsOf = async (cluster: OpenCluster, resource: string) =>
  (await cluster.list(resource as never)).items as ReadonlyArray<{
    readonly metadata: { readonly name: string; readonly namespace?: string }
  }>

const whyTexts = async (cluster: OpenCluster): Promise<string> => {
  const texts: Array<string> = []
  for (const resource of ["deployments.apps", "replicasets.apps", "pods", "nodes"]) {
    for (const { metadata } of await objectsOf(cluster, resource)) {
      const address = { resource, name: metadata.name, namespace: metadata.namespace }
      const steps = await cluster.why(address as never).catch((error: unknown) => failureOf(error))
      texts.push(`## ${resource} ${metadata.name}`)
      if (typeof steps === "string") texts.push(steps)
      else for (const step of steps) texts.push(library.stepText(step), JSON.stringify(step))
    }
  }
  return texts.join("\n")
}

/** Random writes and faults on a cluster that records everything. */
const storm = async (seed: number): Promise<void> => {
  const chance = makeChance(seed)
  const changes: Array<string> = []
  const log: Array<string> = []
  const cluster = await library.openCluster({
    seed,
    nodes: 4,
    behaviours,
    record: true,
    why: true,
    ...(seed % 3 === 0 ? { shuffleSeed: seed } : {}),
    ...(seed % 4 === 0 ? { featureGates: { DeploymentReplicaSetTerminatingReplicas: false } } : {})
  })
  const follow = (opened: OpenCluster, name: string): void =>
    void opened.onChange((change) => {
      changes.push(`${name} ${opened.now().toISOString()} ${JSON.stringify({ ...change, old: undefined })}`)
    })
  follow(cluster, "main")
  log.push(await attempt(() => cluster.apply(manifests as never)))
  for (let turn = 0; turn < 30; turn += 1) {
    const act = turn % 3 === 2 ? chance.of(randomFaults) : chance.of(randomWrites)
    const state = { cluster, chance, turn, objectsOf: (resource: string) => objectsOf(cluster, resource) }
    log.push(`# ${turn} ${act.name}`, await attempt(() => act(state)))
    await cluster.advance(chance.below(9000))
    log.push(textOf(cluster.faults().map((fault) => ({ ...fault, end: undefined }))))
  }
  const middle = await cluster.snapshot()
  write(`storm-${seed}.snapshot.json`, library.snapshotText(middle))
  const restored = library.readSnapshot(library.snapshotText(middle))
  const fork = await library.openCluster({ from: restored, seed: seed + 1000 })
  follow(fork, "fork")
  for (const opened of [cluster, fork]) {
    for (const fault of opened.faults()) await fault.end()
    log.push(`settled ${await opened.settle("30m")}`)
  }
  write(`storm-${seed}.why.txt`, await whyTexts(cluster))
  write(`storm-${seed}.log.txt`, log.join("\n"))
  write(`storm-${seed}.recording.txt`, await cluster.recording())
  write(`storm-${seed}.end.snapshot.json`, library.snapshotText(await fork.snapshot()))
  write(`storm-${seed}.changes.txt`, changes.join("\n"))
  write(`storm-${seed}.events.txt`, textOf(await cluster.events()))
  await cluster.close()
  await fork.close()
}

/** The names, texts and drawings that need no cluster. */
const describe = async (): Promise<void> => {
  for (const name of ["index", "behaviours", "charts", "scenario", "plan", "testing", "inspect"]) {
    const module = (await load(name)) as object
    write(`names-${name}.txt`, Object.keys(module).sort().join("\n"))
  }
  for (const chart of charts.chartsOf()) {
    for (const format of charts.chartFormats) {
      write(
        `chart-${chart.name}.${format}.txt`,
        await attempt(async () => await charts.chartOf(chart, format as never))
      )
    }
  }
  write("resources.txt", textOf(library.resources))
  const refused = [
    () => library.openCluster({ seed: 1.5 }),
    () => library.openCluster({ nodes: -1 }),
    () => library.openCluster({ nodes: { count: 2, pods: "many" } } as never),
    () => library.openCluster({ clock: "late" } as never),
    () => library.openCluster({ behaviour: "unknown" }),
    () => library.openCluster({ featureGates: { Nothing: true } } as never),
    () => library.openCluster({ unknown: 1, seeds: 2 } as never),
    () => library.openCluster({ record: "yes" } as never),
    () => library.openCluster({ strategies: [{}] } as never),
    () => library.readSnapshot("{}"),
    () => library.readSnapshot("nothing"),
    () => planning.plan({} as never),
    () => planning.plan({ next: "kind: Nothing" }),
    () =>
      planning.plan({ next: manifests, assume: "start=later,unknown=1", failOn: "available<many" } as never),
    () => planning.explore({ next: manifests, failures: 9 } as never),
    () => stories.defineStory({} as never),
    () =>
      stories.defineStory({
        name: "a",
        start: [{}],
        steps: [{ waitFor: "web is odd" }, { fault: "none" }]
      } as never)
  ]
  write("refused.txt", (await Promise.all(refused.map(attempt))).join("\n---\n"))
}

const plans = async (): Promise<void> => {
  const text = JSON.stringify(manifests.slice(0, 3))
  const later = text.replaceAll(":v1", ":v2")
  for (const [name, strategy] of Object.entries(strategies)) {
    const manifestsOf = (json: string): ReadonlyArray<object> =>
      (JSON.parse(json) as ReadonlyArray<{ kind: string; spec: object }>).map((it) =>
        it.kind === "Deployment" ? { ...it, spec: { ...it.spec, replicas: 4, strategy } } : it
      )
    const [from, next] = [manifestsOf(text), manifestsOf(later)]
    const only = { from: from.slice(0, 1), next: next.slice(0, 1), failures: 1, failOn: "available<75%" }
    write(`explore-${name}.txt`, await attempt(() => planning.explore(only as never)))
    for (const assume of [
      "start=1s..9s,crash=5%",
      "ready=20s..90s,terminate=3s",
      "start=2s,requests=50/s,propagation=3s"
    ]) {
      const options = { from, next, seeds, behaviours, assume, failOn: "available<90%,lost>0,stuck>1%" }
      write(
        `plan-${name}-${assume.replaceAll("/", "_")}.txt`,
        await attempt(() => planning.plan(options as never))
      )
    }
  }
}

const strategies = {
  quarter: { type: "RollingUpdate", rollingUpdate: { maxSurge: "25%", maxUnavailable: "25%" } },
  surge: { type: "RollingUpdate", rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
  half: { type: "RollingUpdate", rollingUpdate: { maxSurge: 0, maxUnavailable: "50%" } },
  recreate: { type: "Recreate" }
}

await describe()
await plans()
for (let seed = 1; seed <= stormsCount; seed += 1) await storm(seed)
for (const [name, text] of await answersOf(library)) write(name, text)
