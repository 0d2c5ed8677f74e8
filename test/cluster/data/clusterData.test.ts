import { cpSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { openClusterData } from "../../../src/cluster/data/clusterData.ts"
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest"
import { openCluster } from "../../../src/cluster/openCluster.ts"
import { readRecording } from "../../../src/recording/readRecording.ts"
import { openChangeDatabase } from "../../../src/store/durable/changeDatabase.ts"
import { keysInRow } from "../../../src/store/durable/changeRows.ts"
import { everyWorkload } from "../../controllers/workloads/everyWorkload.ts"
import type { OpenCluster, OpenOptions } from "../../../src/cluster/openCluster.ts"

let root = ""
let data = ""
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "charthouse-data-"))
  data = join(root, "data")
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

/** The directory as kill -9 would leave it now: what the operating system has, and nothing that is in memory. */
const afterKill = (): string => {
  const copy = mkdtempSync(join(root, "killed-"))
  cpSync(data, copy, { recursive: true })
  return copy
}

const web = (image: string) => `
apiVersion: apps/v1
kind: Deployment
metadata: { name: web }
spec:
  replicas: 3
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec: { containers: [{ name: web, image: "${image}" }] }
`

const stateOf = async (options: OpenOptions) => {
  await using cluster = await openCluster(options)
  const pods = await cluster.list("pods")
  return { pods: pods.items.map(({ metadata }) => metadata.uid), version: pods.resourceVersion }
}

describe("a cluster with a data directory", () => {
  it("goes on after a kill in the middle of a rollout, with the same uids, and completes it", async () => {
    await using cluster = await openCluster({ data, seed: 7 })
    await cluster.apply(web("nginx:1"))
    await cluster.rollout("web")
    const before = await cluster.get({ resource: "deployments.apps", name: "web" })
    await cluster.apply(web("nginx:2"))
    await cluster.advance("3s")
    const middle = await cluster.list("pods")
    await using again = await openCluster({ data: afterKill() })
    const pods = await again.list("pods")
    expect(pods.items.map(({ metadata }) => metadata.uid)).toEqual(
      middle.items.map(({ metadata }) => metadata.uid)
    )
    expect(Number(pods.resourceVersion)).toBeGreaterThanOrEqual(Number(middle.resourceVersion))
    expect(again.now().getTime()).toBeGreaterThanOrEqual(cluster.now().getTime())
    expect(await again.rollout("web")).toMatchObject({ outcome: "complete" })
    const after = await again.get({ resource: "deployments.apps", name: "web" })
    expect(after.metadata.uid).toBe(before.metadata.uid)
    expect(after.status?.updatedReplicas).toBe(3)
    const sets = await again.list("replicasets.apps")
    expect(new Set(sets.items.map(({ spec }) => spec.replicas))).toEqual(new Set([0, 3]))
  })

  it("has no object that was deleted, however long ago", async () => {
    const namesOf = async (cluster: OpenCluster): Promise<ReadonlyArray<string>> =>
      (await cluster.list("pods")).items.map(({ metadata }) => metadata.name)
    let left: ReadonlyArray<string> = []
    {
      await using cluster = await openCluster({ data, seed: 7 })
      await cluster.apply(web("nginx:1"))
      await cluster.rollout("web")
      await cluster.create({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "settings" } })
      await cluster.advance("5m")
      await cluster.patch({ resource: "deployments.apps", name: "web" }, { spec: { replicas: 1 } })
      await cluster.delete({ resource: "configmaps", name: "settings" })
      await cluster.advance("1h")
      left = await namesOf(cluster)
    }
    expect(left).toHaveLength(1)
    await using again = await openCluster({ data })
    expect(await namesOf(again)).toEqual(left)
    const configMaps = await again.list("configmaps", { namespace: "default" })
    expect(configMaps.items.map(({ metadata }) => metadata.name)).toEqual(["kube-root-ca.crt"])
  })

  it("is as small as its objects and their history once it is compacted", async () => {
    // A quiet cluster would compact each second.
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] })
    onTestFinished(() => void vi.useRealTimers())
    await using cluster = await openCluster({ data })
    await cluster.create({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "large" } })
    for (let round = 1; round <= 300; round += 1) {
      const filler = `${round} ${"x".repeat(100_000)}`
      await cluster.patch({ resource: "configmaps", name: "large" }, { data: { filler } })
    }
    const opened = await Effect.runPromise(openClusterData(afterKill()))
    const before = opened.sizeBytes()
    await Effect.runPromise(opened.compact)
    expect(before).toBeGreaterThan(30_000_000)
    // The history has 16 MiB.
    expect(opened.sizeBytes()).toBeLessThan(18_000_000)
    opened.close()
  })

  it("answers no uid and no resourceVersion a second time", async () => {
    const first = await stateOf({ data, seed: 7 })
    await using again = await openCluster({ data })
    await again.apply(web("nginx:1"))
    await again.rollout("web")
    const { items, resourceVersion } = await again.list("pods")
    expect(Number(resourceVersion)).toBeGreaterThan(Number(first.version))
    await again.close()
    await using third = await openCluster({ data })
    await third.patch({ resource: "deployments.apps", name: "web" }, { spec: { replicas: 6 } })
    await third.rollout("web")
    const uids = (await third.list("pods")).items.map(({ metadata }) => metadata.uid)
    expect(new Set(uids).size).toBe(6)
    for (const { metadata } of items) expect(uids).toContain(metadata.uid)
  })

  it("goes on with a watch from before the kill, without a gap", async () => {
    await using cluster = await openCluster({ data })
    const from = (await cluster.list("pods")).resourceVersion
    await cluster.apply(web("nginx:1"))
    await cluster.rollout("web")
    const path = `http://charthouse/api/v1/pods?watch=1&timeoutSeconds=1&resourceVersion=${from}`
    const versionsSeen = async (opened: typeof cluster): Promise<ReadonlyArray<string>> => {
      const text = await (await opened.fetch(path)).text()
      const lines = text
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) as { object: { metadata: { resourceVersion: string } } })
      return lines.map(({ object }) => object.metadata.resourceVersion)
    }
    const seen = await versionsSeen(cluster)
    await using again = await openCluster({ data: afterKill() })
    expect(seen.length).toBeGreaterThan(3)
    expect(await versionsSeen(again)).toEqual(seen)
  })

  it("goes on with a watch from between two Events that share a row", async () => {
    const seenBefore: Array<string> = []
    {
      await using cluster = await openCluster({ data, behaviour: "instant" })
      await cluster.apply(web("nginx:1"))
      await cluster.rollout("web")
      seenBefore.push(...(await cluster.list("events")).items.map(({ metadata }) => metadata.name))
    }
    const database = await openChangeDatabase(data, { level: "process" })
    const groups = [...database.changes()].filter((row) => keysInRow(row).length > 2)
    const [group] = groups
    const position = database.position()
    if (group === undefined || position === undefined) throw new Error("no Events share a row")
    // The history begins before the last Event of the row.
    const oldest = group.version - 1
    database.commit({ added: [], removedSequences: [], position: { ...position, oldest } })
    database.close()
    await using again = await openCluster({ data })
    const { items } = await again.list("events")
    expect(items.map(({ metadata }) => metadata.name)).toEqual(seenBefore)
    const path = `http://charthouse/api/v1/events?watch=1&timeoutSeconds=1&resourceVersion=${oldest}`
    const lines = (await (await again.fetch(path)).text()).trim().split("\n")
    const watched = lines.map(
      (line) => (JSON.parse(line) as { object: { metadata: { resourceVersion: string } } }).object.metadata
    )
    const versions = watched.map(({ resourceVersion }) => Number(resourceVersion))
    const listed = items.map(({ metadata }) => Number(metadata.resourceVersion))
    expect(versions).toContain(group.version)
    expect(versions).toEqual(listed.filter((version) => version > oldest).sort((a, b) => a - b))
  })

  it("keeps managed fields, settings and faults", async () => {
    await using cluster = await openCluster({ data, behaviour: "instant", controllers: ["*", "-job"] })
    await cluster.apply(web("nginx:1"))
    await cluster.rollout("web")
    const [node] = (await cluster.list("nodes")).items
    await cluster.fault({ fault: "nodeLost", node: node?.metadata.name ?? "", for: "1h" })
    const deployment = await cluster.fetch(
      "http://charthouse/apis/apps/v1/namespaces/default/deployments/web"
    )
    const before: unknown = await deployment.json()
    await using again = await openCluster({ data: afterKill() })
    const answer = await again.fetch("http://charthouse/apis/apps/v1/namespaces/default/deployments/web")
    expect(await answer.json()).toEqual(before)
    expect(again.faults().map(({ fault }) => fault.fault)).toEqual(["nodeLost"])
    const { settings } = await again.snapshot()
    expect(settings.behaviour.name).toBe("instant")
    expect(settings.controllers).toEqual(["*", "-job"])
  })

  it("goes on with every kind of workload after kills in the middle of their work", async () => {
    const behaviours = [{ name: "broken", match: { image: "broken:*" }, exit: { after: "2s", code: 3 } }]
    const metric = {
      type: "Resource",
      resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 50 } }
    }
    const autoscaler = {
      apiVersion: "autoscaling/v2",
      kind: "HorizontalPodAutoscaler",
      metadata: { name: "web" },
      spec: {
        scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" },
        minReplicas: 5,
        maxReplicas: 9,
        metrics: [metric]
      }
    }
    const kinds = ["statefulsets.apps", "daemonsets.apps", "jobs.batch", "cronjobs.batch"]
    const uidsIn = async (opened: OpenCluster): Promise<ReadonlyArray<string>> => {
      const lists = await Promise.all(kinds.map((kind) => opened.list(kind)))
      return lists.flatMap(({ items }) => items.map(({ metadata }) => metadata.uid))
    }
    await using cluster = await openCluster({ data, behaviours })
    await cluster.apply(web("nginx:1"))
    for (const workload of [...everyWorkload, autoscaler]) await cluster.create(workload)
    const uids = await uidsIn(cluster)
    let last = cluster
    await using opened = new AsyncDisposableStack()
    for (const duration of ["300ms", "3s", "17s", "1m10s"]) {
      await last.advance(duration)
      last = opened.use(await openCluster({ data: (data = afterKill()) }))
    }
    await last.advance("5m")
    expect(await uidsIn(last)).toEqual(expect.arrayContaining([...uids]))
    const get = (resource: string, name: string) => last.get({ resource, name })
    expect(await get("statefulsets.apps", "db")).toMatchObject({ status: { availableReplicas: 3 } })
    expect(await get("daemonsets.apps", "agent")).toMatchObject({ status: { numberAvailable: 3 } })
    expect(await get("jobs.batch", "sums")).toMatchObject({
      status: { succeeded: 6, completedIndexes: "0-5", uncountedTerminatedPods: {} }
    })
    expect(await get("jobs.batch", "broken")).toMatchObject({ status: { failed: 4 } })
    expect(await get("cronjobs.batch", "minutely")).toMatchObject({
      status: { lastSuccessfulTime: expect.any(String) }
    })
    expect(await get("deployments.apps", "web")).toMatchObject({ status: { availableReplicas: 5 } })
  })

  it("keeps each Event for the rest of its hour", async () => {
    await using cluster = await openCluster({ data })
    await cluster.apply(web("nginx:1"))
    await cluster.rollout("web")
    await cluster.advance("30m")
    await cluster.patch({ resource: "deployments.apps", name: "web" }, { spec: { replicas: 4 } })
    await cluster.advance("10m")
    await using again = await openCluster({ data: afterKill() })
    const namesIn = async (opened: typeof cluster): Promise<ReadonlyArray<string>> =>
      (await opened.list("events")).items.map(({ metadata }) => metadata.name)
    const counts: Array<number> = []
    for (const duration of ["0s", "15m", "15m", "25m"]) {
      for (const opened of [cluster, again]) await opened.advance(duration)
      expect(await namesIn(again)).toEqual(await namesIn(cluster))
      counts.push((await namesIn(again)).length)
    }
    const [all = 0, allStill, late = 0, none] = counts
    expect(allStill).toBe(all)
    expect(late).toBeGreaterThan(0)
    expect(late).toBeLessThan(all)
    expect(none).toBe(0)
  })

  it("names no Event as one that was written at the same instant before the kill", async () => {
    await using cluster = await openCluster({ data })
    await cluster.apply(web("nginx:1"))
    await using again = await openCluster({ data: afterKill() })
    await again.patch({ resource: "deployments.apps", name: "web" }, { spec: { replicas: 4 } })
    expect(again.now()).toEqual(cluster.now())
    const { items } = await again.list("events")
    const scalings = items.filter(({ involvedObject }) => involvedObject?.kind === "Deployment")
    expect(scalings.map(({ message }) => message)).toEqual([
      expect.stringContaining("from 0 to 3"),
      expect.stringContaining("from 3 to 4")
    ])
  })

  it("imports a snapshot into a new directory, and refuses one for a directory that keeps a cluster", async () => {
    await using source = await openCluster({ seed: 3 })
    await source.apply(web("nginx:1"))
    await source.rollout("web")
    const from = await source.snapshot()
    const uids = (await source.list("pods")).items.map(({ metadata }) => metadata.uid)
    expect((await stateOf({ data, from })).pods).toEqual(uids)
    expect((await stateOf({ data })).pods).toEqual(uids)
    await expect(openCluster({ data, from })).rejects.toThrow(
      "a snapshot can only be imported into a new directory"
    )
  })

  it("refuses a second cluster while the first is open", async () => {
    await using _cluster = await openCluster({ data })
    await expect(openCluster({ data })).rejects.toThrow("a running process uses it")
  })
})

describe("a directory that was cut or altered is refused", () => {
  const file = (): string => join(data, "changes.sqlite")
  beforeEach(async () => {
    await using cluster = await openCluster({ data })
    await cluster.apply(web("nginx:1"))
    await cluster.rollout("web")
  })

  it("when a byte of an object was changed", async () => {
    const bytes = readFileSync(file())
    const at = bytes.indexOf("nginx:1")
    expect(at).toBeGreaterThan(0)
    bytes[at] = "m".charCodeAt(0)
    writeFileSync(file(), bytes)
    await expect(openCluster({ data })).rejects.toThrow("is not as charthouse wrote it")
  })

  it("when its end is missing", async () => {
    truncateSync(file(), Math.floor(statSync(file()).size / 2))
    await expect(openCluster({ data })).rejects.toThrow("is not as charthouse wrote it")
  })

  it("when changes that were answered are missing", async () => {
    const old = afterKill()
    {
      await using cluster = await openCluster({ data })
      await cluster.apply(web("nginx:2"))
      await cluster.rollout("web")
    }
    cpSync(join(old, "changes.sqlite"), file())
    await expect(openCluster({ data })).rejects.toThrow("charthouse data accept-loss")
  })

  it("when another program wrote it", async () => {
    writeFileSync(file(), "SELECT 1".repeat(1000))
    await expect(openCluster({ data })).rejects.toThrow("is not as charthouse wrote it")
  })
})

const entriesOf = (text: string) => {
  const recording = readRecording(text)
  if ("problem" in recording) throw new Error(text)
  return recording.entries
}

it("shows the changes before a restart in its recording, as far as they are kept", async () => {
  await using cluster = await openCluster({ data, record: true })
  await cluster.apply(web("nginx:1"))
  await cluster.rollout("web")
  const before = entriesOf(await cluster.recording())
  await using again = await openCluster({ data: afterKill(), record: true })
  const after = entriesOf(await again.recording())
  const changesOf = (entries: typeof before) =>
    entries.flatMap((entry) =>
      entry.type === "object" && entry.resource === "pods"
        ? [[entry.change, entry.object.metadata.resourceVersion, entry.atMillis]]
        : []
    )
  expect(changesOf(before).length).toBeGreaterThan(9)
  expect(changesOf(after)).toEqual(changesOf(before))
})

it("begins a recording that was not asked for at the opening with the objects of its first call", async () => {
  await using cluster = await openCluster({ data })
  await cluster.apply(web("nginx:1"))
  await cluster.rollout("web")
  await using again = await openCluster({ data: afterKill() })
  await again.apply(web("nginx:2"))
  await again.rollout("web")
  const recorded = entriesOf(await again.recording()).flatMap((entry) =>
    entry.type === "object" && ["deployments", "replicasets", "pods"].includes(entry.resource)
      ? [entry.object.metadata]
      : []
  )
  const present = await Promise.all(
    ["deployments.apps", "replicasets.apps", "pods"].map((resource) => again.list(resource))
  )
  const versionsOf = (objects: typeof recorded) =>
    objects.map(({ name, resourceVersion }) => `${name} ${resourceVersion}`).toSorted()
  expect(versionsOf(recorded)).toEqual(
    versionsOf(present.flatMap(({ items }) => items.map(({ metadata }) => metadata)))
  )
})

it("lets a watch go on only from the history that was asked for", async () => {
  await using cluster = await openCluster({ data, history: "2m" })
  const from = (await cluster.list("pods")).resourceVersion
  await cluster.apply(web("nginx:1"))
  await cluster.rollout("web")
  const watchFrom = (opened: typeof cluster) =>
    opened.fetch(`http://charthouse/api/v1/pods?watch=1&timeoutSeconds=1&resourceVersion=${from}`)
  await cluster.advance("1m")
  await using soon = await openCluster({ data: afterKill() })
  expect(await (await watchFrom(soon)).text()).toContain('"type":"ADDED"')
  await cluster.advance("2m")
  await using late = await openCluster({ data: afterKill() })
  expect(await (await watchFrom(late)).text()).toContain("too old resource version")
})
