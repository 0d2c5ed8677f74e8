import { describe, expect, it } from "vitest"
import { imageGlob, measureImages } from "../../../src/plan/live/measuredImages.ts"
import { aContainerStatus, aPod, aRunningState, aTime } from "../../builders.ts"
import type { EventObject, Pod, PodSpec } from "../../../src/kubernetes/meta/objects.ts"

const readinessProbe = { httpGet: { path: "/", port: 80 } }

it.for([
  { image: "web", glob: "web" },
  { image: "web:1.2", glob: "web:*" },
  { image: "registry.example:5000/shop/web", glob: "registry.example:5000/shop/web" },
  { image: "registry.example:5000/shop/web:1", glob: "registry.example:5000/shop/web:*" },
  { image: "shop/web@sha256:0123", glob: "shop/web@*" },
  { image: "shop/web:1@sha256:0123", glob: "shop/web:*" }
])("the glob of $image is $glob", ({ image, glob }) => {
  expect(imageGlob(image)).toBe(glob)
})

/** Scheduled at 1, initialized at 4 seconds; its containers started when `started` says. */
const livePod = (name: string, ready: number, started: number, spec: Partial<PodSpec> = {}): Pod => {
  const containers = spec.containers ?? [{ name: "app", image: "app:1", readinessProbe }]
  const pod = aPod({ name, ready, spec: { containers, ...spec } })
  const condition = (type: string, second: number) => ({
    type,
    status: "True" as const,
    lastTransitionTime: aTime(second)
  })
  return {
    ...pod,
    metadata: { ...pod.metadata, uid: name, creationTimestamp: aTime(0) },
    status: {
      ...pod.status,
      conditions: [
        ...(pod.status.conditions ?? []),
        condition("PodScheduled", 1),
        condition("Initialized", 4)
      ],
      containerStatuses: containers.map((it) =>
        aContainerStatus({ name: it.name, ready: true, state: aRunningState(started) })
      )
    }
  }
}

const pulled = (pod: string, message: string): EventObject => ({
  apiVersion: "v1",
  kind: "Event",
  metadata: {
    name: pod,
    namespace: "shop",
    uid: `event-${pod}`,
    resourceVersion: "1"
  } as EventObject["metadata"],
  involvedObject: { kind: "Pod", name: pod, uid: pod, fieldPath: "spec.containers{app}" },
  reason: "Pulled",
  message
})
const measure = (pods: ReadonlyArray<Pod>, events: ReadonlyArray<EventObject> = []) =>
  measureImages({ pods, replicaSets: [], events })
const exactly = (millis: number) => ({ leastMillis: millis, mostMillis: millis })

describe("the measured times of an image", () => {
  it("include the pull when no Event tells of it", () => {
    expect(measure([livePod("one", 9, 4), livePod("two", 13, 6)])).toMatchObject([
      {
        glob: "app:*",
        podCount: 2,
        pull: undefined,
        includesPull: true,
        start: { leastMillis: 3000, mostMillis: 5000 },
        ready: { leastMillis: 5000, mostMillis: 7000 }
      }
    ])
  })

  it("are without the pull where Events tell of it, with the wait for other pulls", () => {
    const events = [
      pulled(
        "one",
        'Successfully pulled image "app:1" in 500ms (1.5s including waiting). Image size: 7 bytes.'
      ),
      pulled("two", 'Container image "app:1" already present on machine'),
      // No Event of the third is left.
      pulled("four", 'Successfully pulled image "app:1" in 2s')
    ]
    const pods = [livePod("one", 9, 4), livePod("two", 9, 3), livePod("three", 9, 8), livePod("four", 9, 6)]
    expect(measure(pods, events)).toMatchObject([
      {
        podCount: 4,
        pull: { leastMillis: 1500, mostMillis: 2000 },
        includesPull: false,
        start: { leastMillis: 1500, mostMillis: 3000 }
      }
    ])
  })

  it("are none of a pull that did not take place", () => {
    const events = [pulled("one", 'Container image "app:1" already present on machine')]
    expect(measure([livePod("one", 9, 4)], events)).toMatchObject([
      { pull: undefined, includesPull: false, start: exactly(3000) }
    ])
  })

  it("begin when init containers have run", () => {
    const initContainers = [{ name: "migrate", image: "migrate:1" }]
    expect(measure([livePod("one", 9, 6, { initContainers })])).toMatchObject([
      { glob: "app:*", start: exactly(2000) }
    ])
  })

  it("begin after the hook of the container before", () => {
    const containers = ["app", "log"].map((name) => ({
      name,
      image: `${name}:1`,
      lifecycle: { postStart: { sleep: { seconds: 3 } } }
    }))
    const pod = livePod("one", 20, 0, { containers })
    const containerStatuses = containers.map(({ name }, index) =>
      aContainerStatus({ name, ready: true, state: aRunningState(5 + index * 5) })
    )
    expect(measure([{ ...pod, status: { ...pod.status, containerStatuses } }])).toMatchObject([
      { glob: "app:*", start: exactly(4000) },
      { glob: "log:*", start: exactly(2000) }
    ])
  })

  it("begin when the container before runs", () => {
    const containers = ["app", "log", "proxy"].map((name) => ({ name, image: `${name}:1` }))
    const pod = livePod("one", 20, 0, { containers })
    const startSeconds = [5, 12, 7]
    const containerStatuses = containers.map(({ name }, index) =>
      aContainerStatus({ name, ready: true, state: aRunningState(startSeconds[index] ?? 0) })
    )
    // The image of the second could not be pulled at first, which did not hold the third up.
    expect(measure([{ ...pod, status: { ...pod.status, containerStatuses } }])).toMatchObject([
      { glob: "app:*", start: exactly(4000) },
      { glob: "log:*", start: exactly(7000) },
      { glob: "proxy:*", start: exactly(2000) }
    ])
  })

  it("leave out when a container without a probe answers", () => {
    const containers = [
      { name: "app", image: "app:1", readinessProbe },
      { name: "log", image: "log:1" }
    ]
    expect(measure([livePod("one", 9, 4, { containers })])).toMatchObject([
      { glob: "app:*", ready: exactly(5000) },
      { glob: "log:*", ready: undefined }
    ])
  })

  it("are none of Pods that are not ready, or were unready for long", () => {
    const late = livePod("late", 9999, 4)
    const unready = { ...late, status: { ...late.status, conditions: [] } }
    expect(measure([late, unready])).toEqual([])
  })
})
