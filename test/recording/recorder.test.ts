import { describe, expect, it } from "vitest"
import { openCluster } from "../../src/cluster/openCluster.ts"
import { aManifest } from "../cluster/worlds.ts"
import { anImage, patchWeb } from "../inspect/why/worlds.ts"
import { read, rolledWeb, worldAt, worldNow } from "./worlds.ts"
import type { OpenCluster } from "../../src/cluster/openCluster.ts"
import type { KubeObject } from "../../src/kubernetes/meta/objects.ts"

const numberNow = async (cluster: OpenCluster): Promise<number> =>
  read(await cluster.recording()).entries.at(-1)?.number ?? 0

describe("a recording", () => {
  it("has at its end what the cluster has, and at any number what it had then", async () => {
    await using cluster = await rolledWeb()
    const then: Array<readonly [number: number, world: ReadonlyMap<string, KubeObject>]> = []
    const remember = async (): Promise<void> => {
      then.push([await numberNow(cluster), await worldNow(cluster)])
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
    const { entries } = read(await cluster.recording())
    for (const [number, world] of then) expect(worldAt(entries, number)).toEqual(world)
    expect(then.at(-1)?.[1].size).toBeGreaterThan(4)
  })

  it("tells each step of each actor before what came of it, by one numbering", async () => {
    await using cluster = await rolledWeb()
    const { entries } = read(await cluster.recording())
    expect(entries.map(({ number }) => number)).toEqual(
      Array.from({ length: entries.length }, (_, index) => index + 1)
    )
    const [scaleDown] = entries.filter(
      (it) => it.type === "step" && it.step.commands.some((command) => /^scale .* from 4 to 3$/.test(command))
    )
    if (scaleDown?.type !== "step") throw new Error("nothing was scaled down")
    const [write] = scaleDown.step.writes
    const written = entries.find(
      (it) =>
        it.type === "object" &&
        it.resource === "replicasets" &&
        it.object.metadata.resourceVersion === write?.resourceVersion
    )
    expect(written?.number).toBeGreaterThan(scaleDown.number)
    expect(written?.atMillis).toBe(scaleDown.atMillis)
  })

  it("begins when it is first asked for, with what is there then", async () => {
    await using cluster = await rolledWeb({ record: false })
    const early = read(await cluster.recording())
    expect(early.entries.every(({ number }) => number <= early.header.number)).toBe(true)
    expect(worldAt(early.entries, early.header.number)).toEqual(await worldNow(cluster))
    await patchWeb(cluster, anImage("v3"))
    await cluster.settle()
    const late = read(await cluster.recording())
    expect(late.header).toEqual(early.header)
    expect(late.entries.slice(0, early.entries.length)).toEqual(early.entries)
    expect(late.entries.filter(({ type }) => type === "step").length).toBeGreaterThan(30)
    expect(worldAt(late.entries, Infinity)).toEqual(await worldNow(cluster))
  })

  it("of a fork begins at the fork, and knows nothing of what was before or beside it", async () => {
    await using cluster = await rolledWeb()
    await using fork = await cluster.fork({ record: { title: "what if" } })
    const forkedMillis = cluster.now().getTime()
    const before = await worldNow(cluster)
    await patchWeb(cluster, { replicas: 1 })
    await cluster.settle()
    await patchWeb(fork, { replicas: 6 })
    await fork.settle()
    const { header, entries } = read(await fork.recording())
    expect([header.title, header.atMillis]).toEqual(["what if", forkedMillis])
    expect(worldAt(entries, header.number)).toEqual(before)
    expect(worldAt(entries, Infinity)).toEqual(await worldNow(fork))
  })

  it("says of each fault when it began and when it was over, and nothing of one that could not be", async () => {
    await using cluster = await rolledWeb()
    await cluster.fault({ fault: "kill", pods: { deployment: "web", count: 1 } })
    await cluster.fault({ fault: "nodeLost", node: "node-2", for: "90s" })
    await expect(cluster.fault({ fault: "nodeLost", node: "node-7" })).rejects.toThrow("not found")
    await cluster.advance("2m")
    const stopped = await cluster.fault({ fault: "controllerStopped", controller: "scheduler" })
    await cluster.advance("1s")
    await stopped.end()
    await stopped.end()
    await cluster.fault({ fault: "clockJump", by: "1h" })
    const { header, entries } = read(await cluster.recording())
    const told = entries.flatMap((it) => (it.type === "fault" ? [`${it.change} ${it.text}`] : []))
    expect(told).toEqual([
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

  it("says at its beginning what goes wrong already", async () => {
    await using cluster = await rolledWeb({ record: false })
    await cluster.fault({ fault: "controllerStopped", controller: "deployment" })
    const { header, entries } = read(await cluster.recording())
    const [fault] = entries.filter(({ type }) => type === "fault")
    expect(fault).toMatchObject({ change: "BEGAN", text: "the deployment controller is stopped" })
    expect(fault?.number).toBeLessThanOrEqual(header.number)
  })

  it("says how time goes when that changes, and what somebody noted", async () => {
    await using cluster = await openCluster({ record: { title: "by hand" } })
    cluster.note("it begins")
    await cluster.clock.setSpeed(60)
    await cluster.clock.pause()
    cluster.note("it is paused")
    const { header, entries } = read(await cluster.recording())
    expect(header.title).toBe("by hand")
    expect(
      entries.flatMap((it): ReadonlyArray<number | string> =>
        it.type === "clock" ? [it.speed] : it.type === "note" ? [it.text] : []
      )
    ).toEqual([0, "it begins", 60, 0, "it is paused"])
  })

  it("takes nothing along that a manifest keeps to itself", async () => {
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
      ...aManifest({
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

  it("pushes the oldest out when it is full, and is whole from where it begins then", async () => {
    await using cluster = await rolledWeb({ record: { changesMax: 40, stepsMax: 30 } })
    const { header, entries } = read(await cluster.recording())
    const there = entries.filter(({ number }) => number <= header.number)
    expect(there.every((it) => it.type === "clock" || (it.type === "object" && it.change === "ADDED"))).toBe(
      true
    )
    expect(entries.filter(({ type, number }) => type !== "step" && number > header.number)).toHaveLength(40)
    expect(worldAt(entries, Infinity)).toEqual(await worldNow(cluster))
    const whole = read(await (await rolledWeb()).recording())
    for (const { number } of entries.filter((it) => it.number >= header.number)) {
      expect(worldAt(entries, number)).toEqual(worldAt(whole.entries, number))
    }
  })

  it("keeps 20,000 changes where nobody says another number", async () => {
    await using cluster = await openCluster({ record: true })
    for (let index = 0; index < 20_007; index += 1) cluster.note(`note ${index}`)
    const { entries } = read(await cluster.recording())
    const notes = entries.flatMap((it) => (it.type === "note" ? [it.text] : []))
    expect([notes[0], notes.length]).toEqual(["note 7", 20_000])
  })

  it("tells what was there at its beginning by name, whatever came first", async () => {
    await using cluster = await openCluster({ behaviour: "steady" })
    for (const name of ["zeta", "alpha", "mu"]) await cluster.create(aManifest({ name, replicas: 0 }))
    const { entries } = read(await cluster.recording())
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
  ])("is not made with $record", async ({ record, message }) => {
    await expect(openCluster({ record: record as never })).rejects.toThrow(message)
  })
})
