import { describe, expect, it } from "vitest"
import { behaviourAnnotation } from "../../src/behaviours/matchBehaviours.ts"
import { drawLife } from "../../src/behaviours/drawLife.ts"
import { openCluster, resources } from "../../src/index.ts"
import type { Behaviour } from "../../src/behaviours/behaviour.ts"
import type { ContainerStatus } from "../../src/kubernetes/meta/objects.ts"
import type { PodLife } from "../../src/kubernetes/pods/podLife.ts"

const web = { name: "web", image: "web:1" }
const side = { name: "side", image: "side:1" }
const migrate = { name: "migrate", image: "migrate:3" }

const unpullable = { pull: { failures: "forever" } } as const
const failing = { exit: { after: "1s", code: 3 } } as const
/** The behaviour of Pods that no other behaviour matches: every delay is zero. */
const usual: Behaviour = { name: "usual", pull: { delay: "0s" }, start: "0s", ready: "0s" }

interface PodSetup {
  readonly spec: {
    readonly containers: ReadonlyArray<object>
    readonly initContainers?: ReadonlyArray<object>
  }
  readonly behaviours: ReadonlyArray<Behaviour>
  readonly annotations?: Readonly<Record<string, string>>
}

const stateOf = ({ name, state, restartCount }: ContainerStatus): string => {
  const reason = state?.waiting?.reason ?? ""
  if (/Pull/.test(reason)) return `${name} is not pulled`
  if (state?.terminated?.exitCode === 0) return `${name} is done`
  if (restartCount > 0 || state?.terminated !== undefined) return `${name} fails`
  return state?.running === undefined ? `${name} waits` : `${name} runs`
}

/** The states of a Pod's containers 15 s after its creation, and the life it drew. */
const containersAfter15s = async ({ spec, behaviours, annotations }: PodSetup) => {
  const lives = new Map<string, PodLife>()
  await using cluster = await openCluster({
    seed: 7,
    behaviour: usual,
    behaviours,
    livesOf: ({ metadata }, life) => {
      lives.set(metadata.uid, life)
      return life
    }
  })
  const metadata = {
    name: "web-1",
    namespace: "default",
    labels: { app: "web" },
    ...(annotations && { annotations })
  }
  await cluster.create({ apiVersion: "v1", kind: "Pod", metadata, spec })
  await cluster.advance("15s")
  const pod = await cluster.get({ resource: resources.pods, name: "web-1" })
  const { initContainerStatuses = [], containerStatuses = [] } = pod.status
  const { uid } = pod.metadata
  return { states: [...initContainerStatuses, ...containerStatuses].map(stateOf), uid, life: lives.get(uid) }
}

describe("a behaviour that matches an image", () => {
  const rows: ReadonlyArray<PodSetup & { readonly why: string; readonly states: ReadonlyArray<string> }> = [
    {
      why: "one of two images cannot be pulled",
      spec: { containers: [web, side] },
      behaviours: [{ name: "gone", match: { image: "side:*" }, ...unpullable }],
      states: ["web runs", "side is not pulled"]
    },
    {
      why: "each of two images has its own behaviour",
      spec: { containers: [web, side] },
      behaviours: [
        { name: "crash", match: { image: "web:1" }, ...failing },
        { name: "gone", match: { image: "side:1" }, ...unpullable }
      ],
      states: ["web fails", "side is not pulled"]
    },
    {
      why: "the image of an init container cannot be pulled",
      spec: { initContainers: [migrate], containers: [web] },
      behaviours: [{ name: "gone", match: { image: "migrate:*" }, ...unpullable }],
      states: ["migrate is not pulled", "web waits"]
    },
    {
      why: "the init container fails for ever",
      spec: { initContainers: [migrate], containers: [web] },
      behaviours: [{ name: "fails", match: { image: "migrate:*" }, ...failing }],
      states: ["migrate fails", "web waits"]
    },
    {
      why: "the init container fails once",
      spec: { initContainers: [migrate], containers: [web] },
      behaviours: [{ name: "fails", match: { image: "migrate:*" }, exit: { ...failing.exit, times: 1 } }],
      states: ["migrate is done", "web runs"]
    },
    {
      why: "a sidecar crashes",
      spec: { initContainers: [{ ...migrate, restartPolicy: "Always" }], containers: [web] },
      behaviours: [{ name: "fails", match: { image: "migrate:*" }, ...failing }],
      states: ["migrate fails", "web runs"]
    },
    {
      why: "a shared image: the app container gets the exits, not the init container",
      spec: { initContainers: [{ ...web, name: "migrate" }], containers: [web] },
      behaviours: [{ name: "crash", match: { image: "web:1" }, ...failing }],
      states: ["migrate is done", "web fails"]
    },
    {
      why: "a shared image: the init container fails when the behaviour names it",
      spec: { initContainers: [{ ...web, name: "migrate" }], containers: [web] },
      behaviours: [{ name: "crash", match: { image: "web:1" }, containers: { migrate: failing } }],
      states: ["migrate fails", "web waits"]
    },
    {
      why: "a shared image that cannot be pulled holds up the init container too",
      spec: { initContainers: [{ ...web, name: "migrate" }], containers: [web] },
      behaviours: [{ name: "gone", match: { image: "web:1" }, ...unpullable }],
      states: ["migrate is not pulled", "web waits"]
    },
    {
      why: "an init container shares the image of one of two containers",
      spec: { initContainers: [{ ...web, name: "migrate" }], containers: [side, web] },
      behaviours: [{ name: "crash", match: { image: "web:1" }, ...failing }],
      states: ["migrate is done", "side runs", "web fails"]
    },
    {
      why: "a behaviour for the whole Pod applies to the init containers and to unmatched containers",
      spec: { initContainers: [migrate], containers: [web, side] },
      behaviours: [
        { name: "slow", match: { image: "side:1" }, start: "2s" },
        { name: "gone", match: { name: "web-*" }, ...unpullable }
      ],
      states: ["migrate is done", "web is not pulled", "side runs"]
    },
    {
      why: "the behaviour names another container of the Pod",
      spec: { containers: [web, side] },
      behaviours: [{ name: "crash", match: { image: "web:1" }, containers: { side: failing } }],
      states: ["web runs", "side fails"]
    },
    {
      why: "the behaviour names a container, but no image of the Pod matches",
      spec: { containers: [web, side] },
      behaviours: [{ name: "crash", match: { image: "api:1" }, containers: { side: failing } }],
      states: ["web runs", "side runs"]
    },
    {
      why: "the behaviour's labels are not the Pod's",
      spec: { initContainers: [migrate], containers: [web] },
      behaviours: [{ name: "gone", match: { image: "migrate:3", labels: { app: "api" } }, ...unpullable }],
      states: ["migrate is done", "web runs"]
    },
    {
      why: "an earlier behaviour that matches the whole Pod wins",
      spec: { initContainers: [migrate], containers: [web, side] },
      behaviours: [
        { name: "all", match: { labels: { app: "web" } }, ...failing },
        { name: "gone", match: { image: "*" }, ...unpullable }
      ],
      states: ["migrate is done", "web fails", "side fails"]
    },
    {
      why: "a later behaviour for the whole Pod gets the unmatched containers",
      spec: { initContainers: [migrate], containers: [web, side] },
      behaviours: [
        { name: "gone", match: { image: "side:1" }, ...unpullable },
        { name: "all", match: { labels: { app: "web" } }, ...failing }
      ],
      states: ["migrate is done", "web fails", "side is not pulled"]
    },
    {
      why: "the Pod's annotation names the behaviour, which then holds for all containers",
      spec: { containers: [web, side] },
      annotations: { [behaviourAnnotation]: "gone" },
      behaviours: [{ name: "gone", match: { image: "side:1" }, ...unpullable }],
      states: ["web is not pulled", "side is not pulled"]
    },
    {
      why: "a behaviour moved by the user takes over the whole Pod",
      spec: { containers: [web, side] },
      behaviours: [{ name: "mine", match: { image: "side:1" }, mover: "you" }],
      states: []
    }
  ]
  it.each(rows)("$why: $states", async ({ states, ...setup }) => {
    expect((await containersAfter15s(setup)).states).toEqual(states)
  })
})

describe("the life of a Pod whose containers share one behaviour", () => {
  const chancy: Behaviour = { name: "chancy", match: { image: "*:1" }, ready: { uniform: ["1s", "9s"] } }

  it.each([
    { why: "it has one container", spec: { containers: [web] } },
    { why: "all containers have the image", spec: { containers: [web, side] } }
  ])("is drawn once for all of it: $why", async ({ spec }) => {
    const { uid, life } = await containersAfter15s({ spec, behaviours: [chancy] })
    expect(life).toEqual(drawLife(chancy, 7, uid))
  })

  it("draws a container's life separately only where its behaviour differs", async () => {
    const sideBehaviour: Behaviour = { ...chancy, name: "other", match: { image: "side:1" } }
    const { life } = await containersAfter15s({
      spec: { containers: [web, side] },
      behaviours: [sideBehaviour, chancy]
    })
    const { containers = {}, otherContainers } = life ?? {}
    expect(Object.keys(containers)).toEqual(["web"])
    expect(containers["web"]?.readyMillis).not.toBe(otherContainers?.readyMillis)
  })
})
