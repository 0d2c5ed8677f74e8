import { createInspector } from "@statelyai/inspect"
import { afterEach, expect, test } from "vitest"
import { openInspector } from "../../src/inspect/stately.ts"
import type { Inspector, InspectorOptions } from "../../src/inspect/stately.ts"
import { launch, ship } from "./shipActor.ts"
import { isFrame, receive, frameLines } from "./statelyReceiver.ts"
import type { Frame } from "./statelyReceiver.ts"

const opened: Array<Inspector> = []
const open = async (options?: InspectorOptions): Promise<Inspector> => {
  const inspector = await openInspector(options)
  opened.push(inspector)
  return inspector
}
afterEach(async () => {
  await Promise.all(opened.splice(0).map((inspector) => inspector.close()))
})

/** Connects, and waits until the receiver gets frames live. */
const connected = async (inspector: Inspector) => {
  const beacon = launch("beacon", inspector.inspect)
  const receiver = receive(inspector.url)
  await receiver.until(({ type }) => type === "@xstate.snapshot")
  const before = receiver.frames.length
  return { ...receiver, beacon, since: (frames: ReadonlyArray<Frame>) => frames.slice(before) }
}
const isStop = ({ event, type }: Frame): boolean =>
  type === "@xstate.snapshot" && event?.type === "xstate.stop"

test("the published receiver gets every actor, event and snapshot of a run in order", async () => {
  const inspector = await open()
  const { until, since } = await connected(inspector)
  const { actor, lift } = launch("deployment/default/web", inspector.inspect)
  actor.send({ type: "load" })
  lift()
  actor.getSnapshot().children["crate"]?.send({ type: "drop" })
  actor.stop()

  expect(frameLines(since(await until(isStop)))).toEqual([
    'deployment/default/web: "moored"',
    "deployment/default/web <- xstate.init",
    'deployment/default/web -> "moored"',
    "deployment/default/web <- load",
    'crate under deployment/default/web: "stowed"',
    "crate <- xstate.init",
    'crate -> "stowed"',
    'deployment/default/web -> "moored"',
    "crate <- lift",
    "deployment/default/web <- up",
    'deployment/default/web -> "sailing"',
    'crate -> "up"',
    "crate <- drop",
    "deployment/default/web <- xstate.done.actor.crate",
    'deployment/default/web -> "sailing"',
    'crate -> "dropped" done',
    'deployment/default/web -> "sailing" stopped'
  ])
})

test("a late viewer gets the running actors with their states, owners first, and no stopped ones", async () => {
  const owners = new Map([
    ["pod/default/web-1", "replicaSet/default/web"],
    ["replicaSet/default/web", "deployment/default/web"]
  ])
  const inspector = await open({
    parentOf: (id) => owners.get(id),
    nameOf: (id) => id.replace("default/", "")
  })
  // As after a restart, when owned actors start first.
  for (const id of owners.keys()) launch(id, inspector.inspect)
  const stopped = launch("pod/default/web-0", inspector.inspect)
  const { actor, lift } = launch("deployment/default/web", inspector.inspect)
  actor.send({ type: "load" })
  lift()
  stopped.actor.stop()

  const late = receive(inspector.url)
  const frames = await late.until(({ name }) => name === "crate")
  await late.until(
    ({ sessionId, type }) => type === "@xstate.snapshot" && sessionId === frames.at(-1)?.sessionId
  )
  expect(frameLines(late.frames)).toEqual([
    'deployment/web: "sailing"',
    'deployment/web -> "sailing"',
    'replicaSet/web under deployment/web: "moored"',
    'replicaSet/web -> "moored"',
    'pod/web-1 under replicaSet/web: "moored"',
    'pod/web-1 -> "moored"',
    'crate under deployment/web: "up"',
    'crate -> "up"'
  ])
})

test("a cycle of owners is shown with each actor once", async () => {
  const inspector = await open({ parentOf: (id) => (id === "egg" ? "hen" : "egg") })
  launch("egg", inspector.inspect)
  launch("hen", inspector.inspect)
  launch("last", inspector.inspect)
  const receiver = receive(inspector.url)
  const frames = await receiver.until(({ name }) => name === "last")
  expect(frames.flatMap(({ name }) => name ?? [])).toEqual(["hen", "egg", "last"])
})

test("frames equal those of the published inspector, apart from the field order of definitions", async () => {
  const inspector = await open()
  const { until, since } = await connected(inspector)
  const publishedFrames: Array<Frame> = []
  const allReceived = Promise.withResolvers<void>()
  const published = createInspector({
    send: (frame) => {
      const sent: unknown = JSON.parse(JSON.stringify(frame))
      if (isFrame(sent)) publishedFrames.push(sent)
      if (publishedFrames.length === 5) allReceived.resolve()
    }
  })
  const { actor } = launch("ship/default/hilda", (event) => {
    inspector.inspect(event)
    published.inspect.next?.(event)
  })
  actor.send({ type: "up" })
  await allReceived.promise

  const ownFrames = since(await until(({ snapshot }) => snapshot?.value === "sailing"))
  const comparable = (frame: Frame) => ({
    ...frame,
    createdAt: Number(frame.createdAt) > 1e12,
    definition: frame.definition === undefined ? undefined : JSON.parse(frame.definition),
    // The published frame has a later snapshot, with history.
    snapshot: frame.type === "@xstate.actor" ? undefined : { ...frame.snapshot, historyValue: undefined }
  })
  expect(ownFrames.map(comparable)).toEqual(publishedFrames.map(comparable))
})

test("an actor that fails is shown with its error, then forgotten with its children", async () => {
  const inspector = await open()
  const { until } = await connected(inspector)
  const { actor, lift, failures } = launch("pod/default/web-1", inspector.inspect)
  actor.send({ type: "load" })
  lift()
  actor.send({ type: "sink" })
  expect(failures).toHaveLength(1)

  const frames = await until(({ snapshot }) => snapshot?.status === "error")
  expect(frames.at(-1)?.snapshot).toMatchObject({ value: "sailing", error: "Error: struck a rock" })
  launch("pod/default/web-2", inspector.inspect)
  const late = await receive(inspector.url).until(({ name }) => name === "pod/default/web-2")
  expect(late.flatMap(({ name }) => name ?? [])).toEqual(["beacon", "pod/default/web-2"])
})

test("a child that is stopped before it starts is not shown", async () => {
  const inspector = await open()
  const { until, since } = await connected(inspector)
  const { actor } = launch("pod/default/web-1", inspector.inspect)
  actor.send({ type: "loadAndUnload" })
  actor.stop()
  const names = since(await until(isStop)).flatMap(({ name }) => name ?? [])
  expect(names).toEqual(["pod/default/web-1"])
})

test("objects in events and contexts are sent as names, without a Secret's data", async () => {
  const inspector = await open()
  const { until } = await connected(inspector)
  const { actor } = launch("deployment/default/web", inspector.inspect)
  const seen = {
    secret: {
      kind: "Secret",
      metadata: { name: "db", namespace: "default", uid: "u-7" },
      data: { password: "aHVudGVyMg==" }
    },
    counts: { ready: 3 }
  }
  actor.send({ type: "observed", seen })
  const frames = await until(({ event, type }) => event?.type === "observed" && type === "@xstate.snapshot")
  const shown = { secret: "Secret default/db", counts: { ready: 3 } }
  expect(frames.at(-1)?.snapshot?.context).toEqual({ port: "Turku", crew: 3, seen: shown })
  expect(frames.at(-1)?.event).toEqual({ type: "observed", seen: shown })
  expect(JSON.stringify(frames)).not.toContain("aHVudGVyMg")
})

test("an actor without an id has the name of its chart", async () => {
  const inspector = await open({ nameOf: () => "not asked" })
  const { createActor } = await import("xstate")
  createActor(ship, { inspect: inspector.inspect }).start()
  const [first] = await receive(inspector.url).until(({ name }) => name !== undefined)
  expect(first?.name).toBe("ship")
})

test("close frees the port and all sockets, and actors run on unobserved", async () => {
  const sockets = () => process.getActiveResourcesInfo().filter((kind) => kind.startsWith("TCP")).length
  const before = sockets()
  const inspector = await open()
  const { frames, beacon } = await connected(inspector)
  expect(sockets()).toBeGreaterThan(before)
  await Promise.all([inspector.close(), inspector.close()])
  const count = frames.length
  beacon.actor.send({ type: "up" })
  expect(beacon.actor.getSnapshot().value).toBe("sailing")
  expect(frames).toHaveLength(count)
  expect(sockets()).toBe(before)

  const again = await open({ port: Number(new URL(inspector.url).port) })
  expect(again.url).toBe(inspector.url)
})

test("a port in use is refused with Node's error code", async () => {
  const { url } = await open()
  await expect(openInspector({ port: Number(new URL(url).port) })).rejects.toMatchObject({
    code: "EADDRINUSE"
  })
})
