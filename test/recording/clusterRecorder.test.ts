import { describe, expect, it } from "vitest"
import { openCluster } from "../../src/cluster/openCluster.ts"
import { deploymentManifest } from "../cluster/testCluster.ts"
import { everyWorkload } from "../controllers/workloads/everyWorkload.ts"
import { anImage, patchWeb } from "../explain/steps/webCluster.ts"
import { parseRecording, rolledOutWeb, objectsAt, objectsNow } from "./recordedCluster.ts"
import type { OpenCluster } from "../../src/cluster/openCluster.ts"
import type { KubeObject } from "../../src/kubernetes/meta/objects.ts"

const numberNow = async (cluster: OpenCluster): Promise<number> =>
  parseRecording(await cluster.recording()).entries.at(-1)?.number ?? 0

describe("a recording", () => {
  it("holds the cluster's objects at its end and at every number", async () => {
    await using cluster = await rolledOutWeb()
    const snapshots: Array<readonly [number: number, objects: ReadonlyMap<string, KubeObject>]> = []
    const remember = async (): Promise<void> => {
      snapshots.push([await numberNow(cluster), await objectsNow(cluster)])
    }
    await remember()
    await patchWeb(cluster, { replicas: 7, ...anImage("v3") })
    for (const millis of [1, 400, 1100, 2300, 60_000]) {
      await cluster.advance(millis)
      await remember()
    }
    await cluster.delete({ resource: "deployments.apps", name: "web" })
    await cluster.settle()
    await remember()
    const { entries } = parseRecording(await cluster.recording())
    for (const [number, objects] of snapshots) expect(objectsAt(entries, number)).toEqual(objects)
    expect(snapshots.at(-1)?.[1].size).toBeGreaterThan(4)
  })

  it("holds the workloads of every kind, with the revisions of their templates", async () => {
    await using cluster = await openCluster({ record: true })
    for (const workload of everyWorkload) await cluster.create(workload)
    await cluster.advance("2m")
    const { entries } = parseRecording(await cluster.recording())
    const objects = objectsAt(entries, Infinity)
    expect(objects).toEqual(await objectsNow(cluster))
    const kinds = new Set(Array.from(objects.values(), ({ kind }) => kind))
    expect([...kinds]).toEqual(
      expect.arrayContaining(["StatefulSet", "DaemonSet", "ControllerRevision", "CronJob", "Job"])
    )
  })

  it("numbers each step before the writes it caused", async () => {
    await using cluster = await rolledOutWeb()
    const { entries } = parseRecording(await cluster.recording())
    expect(entries.map(({ number }) => number)).toEqual(
      Array.from({ length: entries.length }, (_, index) => index + 1)
    )
    const [scaleDown] = entries.filter(
      (it) => it.type === "step" && it.step.commands.some((command) => /^scale .* from 4 to 3$/.test(command))
    )
    if (scaleDown?.type !== "step") throw new Error("nothing was scaled down")
    const [write] = scaleDown.step.writes
    const writeEntry = entries.find(
      (it) =>
        it.type === "object" &&
        it.resource === "replicasets" &&
        it.object.metadata.resourceVersion === write?.resourceVersion
    )
    expect(writeEntry?.number).toBeGreaterThan(scaleDown.number)
    expect(writeEntry?.atMillis).toBe(scaleDown.atMillis)
  })

  it("begins at the first request, with the objects of that time", async () => {
    await using cluster = await rolledOutWeb({ record: false })
    const early = parseRecording(await cluster.recording())
    expect(early.entries.every(({ number }) => number <= early.header.number)).toBe(true)
    expect(objectsAt(early.entries, early.header.number)).toEqual(await objectsNow(cluster))
    await patchWeb(cluster, anImage("v3"))
    await cluster.settle()
    const late = parseRecording(await cluster.recording())
    expect(late.header).toEqual(early.header)
    expect(late.entries.slice(0, early.entries.length)).toEqual(early.entries)
    expect(late.entries.filter(({ type }) => type === "step").length).toBeGreaterThan(30)
    expect(objectsAt(late.entries, Infinity)).toEqual(await objectsNow(cluster))
  })

  it("of a fork begins at the fork, and leaves out the original's changes", async () => {
    await using cluster = await rolledOutWeb()
    await using fork = await cluster.fork({ record: { title: "what if" } })
    const forkedMillis = cluster.now().getTime()
    const before = await objectsNow(cluster)
    await patchWeb(cluster, { replicas: 1 })
    await cluster.settle()
    await patchWeb(fork, { replicas: 6 })
    await fork.settle()
    const { header, entries } = parseRecording(await fork.recording())
    expect([header.title, header.atMillis]).toEqual(["what if", forkedMillis])
    expect(objectsAt(entries, header.number)).toEqual(before)
    expect(objectsAt(entries, Infinity)).toEqual(await objectsNow(fork))
  })

  it("has the beginning and end of each fault, and no refused fault", async () => {
    await using cluster = await rolledOutWeb()
    await cluster.fault({ fault: "kill", pods: { deployment: "web", count: 1 } })
    await cluster.fault({ fault: "nodeLost", node: "node-2", for: "90s" })
    await expect(cluster.fault({ fault: "nodeLost", node: "node-7" })).rejects.toThrow("not found")
    await cluster.advance("2m")
    const stopped = await cluster.fault({ fault: "controllerStopped", controller: "scheduler" })
    await cluster.advance("1s")
    await stopped.end()
    await stopped.end()
    await cluster.fault({ fault: "clockJump", by: "1h" })
    const { header, entries } = parseRecording(await cluster.recording())
    const faultLines = entries.flatMap((it) => (it.type === "fault" ? [`${it.change} ${it.text}`] : []))
    expect(faultLines).toEqual([
      "BEGAN 1 Pod of Deployment web is deleted",
      "ENDED 1 Pod of Deployment web is deleted",
      "BEGAN node-2 is lost for 90s",
      "ENDED node-2 is lost for 90s",
      "BEGAN the scheduler is stopped",
      "ENDED the scheduler is stopped",
      "BEGAN the clock jumps ahead by 1h",
      "ENDED the clock jumps ahead by 1h"
    ])
    const faults = entries.filter((it) => it.type === "fault")
    expect(faults.map(({ id }) => id).filter((id, index, all) => all.indexOf(id) === index)).toHaveLength(4)
    expect((faults[3]?.atMillis ?? 0) - (faults[2]?.atMillis ?? 0)).toBe(90_000)
    expect(entries.every(({ atMillis }) => atMillis >= header.atMillis)).toBe(true)
    const deleted = entries.find((it) => it.type === "object" && it.number > (faults[0]?.number ?? 0))
    expect(deleted).toMatchObject({ resource: "pods", change: "MODIFIED" })
    expect(deleted?.number).toBeLessThan(faults[1]?.number ?? 0)
  })

  it("has the active faults at its beginning", async () => {
    await using cluster = await rolledOutWeb({ record: false })
    await cluster.fault({ fault: "controllerStopped", controller: "deployment" })
    const { header, entries } = parseRecording(await cluster.recording())
    const [fault] = entries.filter(({ type }) => type === "fault")
    expect(fault).toMatchObject({ change: "BEGAN", text: "the deployment controller is stopped" })
    expect(fault?.number).toBeLessThanOrEqual(header.number)
  })

  it("has changes of the clock's speed, and notes", async () => {
    await using cluster = await openCluster({ record: { title: "by hand" } })
    cluster.note("it begins")
    await cluster.clock.setSpeed(60)
    await cluster.clock.pause()
    cluster.note("it is paused")
    const { header, entries } = parseRecording(await cluster.recording())
    expect(header.title).toBe("by hand")
    expect(
      entries.flatMap((it): ReadonlyArray<number | string> =>
        it.type === "clock" ? [it.speed] : it.type === "note" ? [it.text] : []
      )
    ).toEqual([0, "it begins", 60, 0, "it is paused"])
  })

  it("has no environments, arguments, commands, probes' headers, Secrets or ConfigMaps", async () => {
    const secret = "hunter2-do-not-tell"
    const probe = { httpGet: { path: "/", port: 80, httpHeaders: [{ name: "X-Key", value: secret }] } }
    const lifecycle = { preStop: { exec: { command: ["sh", "-c", secret] } } }
    const container = {
      env: [
        { name: "PASSWORD", value: secret },
        { name: "FROM", valueFrom: { secretKeyRef: { name: "s", key: "k" } } }
      ],
      args: [`--password=${secret}`],
      command: ["serve", secret],
      livenessProbe: { exec: { command: ["curl", secret] } },
      readinessProbe: probe,
      lifecycle
    }
    await using cluster = await openCluster({ record: true, behaviour: "steady" })
    await cluster.create({
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: "s", namespace: "default" },
      stringData: { k: secret }
    })
    await cluster.create({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "c", namespace: "default" },
      data: { k: secret }
    })
    await cluster.apply({
      ...deploymentManifest({
        replicas: 2,
        container,
        podSpec: {
          initContainers: [
            {
              name: "init",
              image: "i:1",
              ...container,
              livenessProbe: undefined,
              readinessProbe: undefined,
              lifecycle: undefined
            }
          ]
        }
      })
    })
    await cluster.settle()
    const text = await cluster.recording()
    expect(text).toContain("PASSWORD")
    expect(text).toContain("X-Key")
    expect(text).not.toContain(secret)
    expect(text).not.toContain("managedFields")
  })

  it("discards the oldest entries when it is full, and is complete from its new beginning", async () => {
    await using cluster = await rolledOutWeb({ record: { changesMax: 40, stepsMax: 30 } })
    const { header, entries } = parseRecording(await cluster.recording())
    const initial = entries.filter(({ number }) => number <= header.number)
    expect(
      initial.every((it) => it.type === "clock" || (it.type === "object" && it.change === "ADDED"))
    ).toBe(true)
    expect(entries.filter(({ type, number }) => type !== "step" && number > header.number)).toHaveLength(40)
    expect(objectsAt(entries, Infinity)).toEqual(await objectsNow(cluster))
    const whole = parseRecording(await (await rolledOutWeb()).recording())
    for (const { number } of entries.filter((it) => it.number >= header.number)) {
      expect(objectsAt(entries, number)).toEqual(objectsAt(whole.entries, number))
    }
  })

  it("keeps 20,000 changes by default", async () => {
    await using cluster = await openCluster({ record: true })
    for (let index = 0; index < 20_007; index += 1) cluster.note(`note ${index}`)
    const { entries } = parseRecording(await cluster.recording())
    const notes = entries.flatMap((it) => (it.type === "note" ? [it.text] : []))
    expect([notes[0], notes.length]).toEqual(["note 7", 20_000])
  })

  it("lists its initial objects by name", async () => {
    await using cluster = await openCluster({ behaviour: "steady" })
    for (const name of ["zeta", "alpha", "mu"])
      await cluster.create(deploymentManifest({ name, replicas: 0 }))
    const { entries } = parseRecording(await cluster.recording())
    const names = entries.flatMap((it) =>
      it.type === "object" && it.resource === "deployments" ? [it.object.metadata.name] : []
    )
    expect(names).toEqual(["alpha", "mu", "zeta"])
  })

  it.each([
    { record: "yes", message: 'record must be true, false or settings, not "yes"' },
    { record: { titel: "a" }, message: "titel is no option of a recording: did you mean title?" },
    { record: { title: 7 }, message: "record.title must be a text" },
    { record: { changesMax: 0 }, message: "record.changesMax must be an integer above 0, not 0" },
    { record: { stepsMax: 1.5 }, message: "record.stepsMax must be an integer above 0, not 1.5" }
  ])("is refused with $record", async ({ record, message }) => {
    await expect(openCluster({ record: record as never })).rejects.toThrow(message)
  })
})
