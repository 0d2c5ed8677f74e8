import { describe, expect, it } from "vitest"
import { resources } from "../../../src/index.ts"
import { conditionText, withPod } from "./podUnderTest.ts"
import { eventTexts } from "../../cluster/testCluster.ts"
import type { EventObject, Pod } from "../../../src/index.ts"

const app = { name: "app", image: "registry.example/app:v1" }
const init = (name: string, more: object = {}) => ({ name, image: `registry.example/${name}:v1`, ...more })
const sidecar = (name: string, more: object = {}) => init(name, { restartPolicy: "Always", ...more })

describe("init containers", () => {
  const slow = { pull: { delay: "3s" }, start: "2s" } as const

  it("run one after another, and the app containers after them", () =>
    withPod({ initContainers: [init("setup"), init("migrate")] }, slow, async ({ cluster, stateHistory }) => {
      await cluster.advance("20s")
      expect(stateHistory("setup")).toEqual(["0 waiting PodInitializing", "5 terminated Completed 0 ready"])
      expect(stateHistory("migrate")).toEqual([
        "0 waiting PodInitializing",
        "10 terminated Completed 0 ready"
      ])
      expect(stateHistory("app")).toEqual(["0 waiting PodInitializing", "15 running ready"])
    }))

  it("keep the Pod Pending, and Initialized names the incomplete ones", () =>
    withPod({ initContainers: [init("setup"), init("migrate")] }, slow, async ({ cluster, pod }) => {
      await cluster.advance("7s")
      const early = await pod()
      expect(early.status.phase).toBe("Pending")
      expect(conditionText(early, "Initialized")).toBe(
        "False ContainersNotInitialized containers with incomplete status: [migrate]"
      )
      expect(conditionText(early, "Ready")).toBe(
        "False ContainersNotReady containers with unready status: [app]"
      )
      await cluster.advance("20s")
      expect(conditionText(await pod(), "Initialized")).toBe("True")
    }))

  it("have lives of their own in a behaviour, and restart with back-off until they succeed", () => {
    const containers = { setup: { exit: { after: "4s", code: 3, times: 3 } } }
    return withPod(
      { initContainers: [init("setup")] },
      { containers },
      async ({ cluster, pod, stateHistory }) => {
        await cluster.advance("9s")
        expect((await pod()).status.phase).toBe("Pending")
        await cluster.advance("60s")
        expect(stateHistory("setup")).toEqual([
          "0 waiting PodInitializing",
          "0 running",
          "8 waiting CrashLoopBackOff",
          "18 running",
          "22 waiting CrashLoopBackOff",
          "42 terminated Completed 0 ready"
        ])
        expect(stateHistory("app")).toEqual(["0 waiting PodInitializing", "42 running ready"])
        expect((await pod()).status.initContainerStatuses?.[0]?.restartCount).toBe(3)
      }
    )
  })

  it("fail a Pod with restartPolicy Never by failing", () => {
    const containers = { setup: { exit: { after: "4s", code: 3 } } }
    const spec = { restartPolicy: "Never", initContainers: [init("setup"), init("migrate")] }
    return withPod(spec, { containers }, async ({ cluster, pod, states }) => {
      await cluster.advance("9s")
      expect((await pod()).status.phase).toBe("Failed")
      expect(conditionText(await pod(), "Ready")).toBe("False PodFailed")
      expect(await states()).toEqual([
        "setup terminated Error 3",
        "migrate waiting PodInitializing",
        "app waiting PodInitializing"
      ])
    })
  })

  it("succeed unless the behaviour names them, even if other containers fail", () => {
    const life = { exit: { after: "5s", code: 1 }, hang: "1s" } as const
    return withPod({ initContainers: [init("setup"), sidecar("proxy")] }, life, async (podUnderTest) => {
      await podUnderTest.cluster.advance("8s")
      expect(await podUnderTest.states()).toEqual([
        "setup terminated Completed 0 ready",
        "proxy running ready",
        "app running ready"
      ])
      expect((await podUnderTest.pod()).status.containerStatuses?.[0]?.restartCount).toBe(1)
    })
  })

  it("have events with a fieldPath under spec.initContainers", () =>
    withPod({ initContainers: [init("setup")] }, {}, async ({ cluster, events }) => {
      await cluster.advance("1s")
      const paths = (await events()).map(({ involvedObject }) => involvedObject?.fieldPath)
      expect(new Set(paths)).toEqual(
        new Set([undefined, "spec.initContainers{setup}", "spec.containers{app}"])
      )
    }))
})

describe("sidecars", () => {
  it("run on while the next container starts after them", () => {
    const startupProbe = { exec: { command: ["ask"] }, periodSeconds: 4 }
    const spec = { initContainers: [sidecar("proxy", { startupProbe }), init("setup")] }
    const containers = { proxy: { ready: "5s" } }
    return withPod(spec, { containers }, async ({ cluster, stateHistory, states }) => {
      await cluster.advance("30s")
      expect(stateHistory("setup")).toEqual(["0 waiting PodInitializing", "8 terminated Completed 0 ready"])
      expect(stateHistory("app")).toEqual(["0 waiting PodInitializing", "8 running ready"])
      expect(await states()).toContain("proxy running ready")
    })
  })

  it("count for readiness, and restart whatever the restartPolicy", () => {
    const containers = {
      proxy: { exit: { after: "6s", code: 0, times: 1 }, start: "2s" },
      app: { exit: { after: "1h", code: 0 } }
    }
    const spec = { restartPolicy: "Never", initContainers: [sidecar("proxy")] }
    return withPod(spec, { containers }, async ({ cluster, pod, states }) => {
      await cluster.advance("9s")
      expect(conditionText(await pod(), "Ready")).toBe(
        "False ContainersNotReady containers with unready status: [proxy]"
      )
      expect(conditionText(await pod(), "Initialized")).toBe("True")
      await cluster.advance("3s")
      expect(await states()).toEqual(["proxy running ready", "app running ready"])
    })
  })

  it("are stopped after the app containers, which ends the Pod", () => {
    const containers = { app: { exit: { after: "9s", code: 0 } } }
    const spec = { restartPolicy: "Never", initContainers: [sidecar("proxy")] }
    return withPod(spec, { containers, terminate: "4s" }, async ({ cluster, pod, stateHistory }) => {
      await cluster.advance("11s")
      expect((await pod()).status.phase).toBe("Running")
      await cluster.advance("3s")
      expect((await pod()).status.phase).toBe("Succeeded")
      expect(stateHistory("proxy").at(-1)).toBe("13 terminated Completed 0")
    })
  })

  it("stop after the app containers in reverse order, within one grace period", () =>
    withPod(
      { initContainers: [sidecar("one"), sidecar("two")], terminationGracePeriodSeconds: 7 },
      { terminate: "3s" },
      async ({ cluster, stateHistory, findPod }) => {
        await cluster.advance("10s")
        await cluster.delete({ resource: resources.pods, name: "told" })
        await cluster.advance("30s")
        expect(await findPod()).toBeUndefined()
        const ends = ["app", "two", "one"].map((name) => stateHistory(name).at(-1))
        expect(ends).toEqual([
          "13 terminated Completed 0",
          "16 terminated Completed 0",
          // Two seconds remain at least, and it needs three.
          "18 terminated Error 137"
        ])
      }
    ))
})

describe("a container that crashes", () => {
  const crashing = (crashes: number) => ({ exit: { after: "3s", code: 1, times: crashes } })

  it("restarts at once, then after 10, 20, 40, 80, 160, 300 and 300 s", () =>
    withPod({}, crashing(9), async ({ cluster, stateHistory }) => {
      await cluster.advance("20m")
      const runs = stateHistory("app").filter((line) => line.includes("running"))
      const begins = runs.map((line) => Number(line.split(" ")[0]))
      const seconds = [0, 3 + 3 + 10, 20, 40, 80, 160, 300, 300]
      let at = 0
      const expected = seconds.map((wait, index) => (at += wait + (index < 2 ? 0 : 3)))
      expect(begins).toEqual(expected)
    }))

  it("has the length of its current back-off in its status", () =>
    withPod({}, crashing(8), async ({ cluster, pod }) => {
      const messages: Array<string> = []
      cluster.onChange(({ resource, object }) => {
        if (resource !== resources.pods) return
        const message = (object as Pod).status.containerStatuses?.[0]?.state?.waiting?.message
        if (message !== undefined && message !== messages.at(-1)) messages.push(message)
      })
      await cluster.advance("20m")
      const { uid } = (await pod()).metadata
      const waited = ["10s", "20s", "40s", "1m20s", "2m40s", "5m0s"]
      expect(messages).toEqual(
        waited.map((wait) => `back-off ${wait} restarting failed container=app pod=told_default(${uid})`)
      )
    }))

  it.each([
    { after: "10m", why: "ten minutes reset the back-off", again: 600 },
    { after: "9m59s", why: "a second less does not", again: 599 + 10 }
  ])("after a second run of $after starts again $again s after that run began: $why", (row) =>
    withPod({}, { exit: { after: row.after, code: 0, times: 3 } }, async ({ cluster, pod }) => {
      const begins: Array<number> = []
      cluster.onChange(({ resource, object }) => {
        const [status] = resource === resources.pods ? ((object as Pod).status.containerStatuses ?? []) : []
        if (status?.state?.running !== undefined) begins[status.restartCount] ??= cluster.now().getTime()
      })
      await cluster.advance("40m")
      expect((await pod()).status.containerStatuses?.[0]?.restartCount).toBe(3)
      expect(((begins[2] ?? 0) - (begins[1] ?? 0)) / 1000).toBe(row.again)
    })
  )

  it.each([
    { exit: { after: "2s", code: 0 }, end: "Completed 0" },
    { exit: { after: "2s", code: 7 }, end: "Error 7" },
    { exit: { after: "2s", reason: "OOMKilled" }, end: "OOMKilled 137" }
  ] as const)("has back-off after $end as well, with an event", ({ exit, end }) =>
    withPod({}, { exit, start: "1s" }, async ({ cluster, pod, stateHistory, events }) => {
      await cluster.advance("8s")
      expect(stateHistory("app")).toEqual([
        "0 waiting ContainerCreating",
        "1 running ready",
        `3 terminated ${end}`,
        "4 running ready",
        `6 terminated ${end}`,
        "7 waiting CrashLoopBackOff"
      ])
      expect((await pod()).status.phase).toBe("Running")
      const { uid } = (await pod()).metadata
      expect(eventTexts(await events()).slice(1)).toEqual([
        'Pulling: Pulling image "registry.example/app:v1"',
        'Pulled: Successfully pulled image "registry.example/app:v1" in 0s (0s including waiting). ' +
          "Image size: 0 bytes.",
        "Created: Container created",
        "Started: Container started",
        'Pulled: Container image "registry.example/app:v1" already present on machine',
        `BackOff: Back-off restarting failed container app in pod told_default(${uid})`
      ])
    })
  )
})

describe("an image", () => {
  const failures = 3

  const imageEvents = (events: ReadonlyArray<EventObject>): ReadonlyArray<string> =>
    eventTexts(events).filter((text) => text.startsWith("Pull"))

  it("that another container has run is found on the node", () =>
    withPod(
      { containers: [app, { ...app, name: "side" }], initContainers: [init("setup", { image: app.image })] },
      { pull: { delay: "3s" }, start: "1s" },
      async ({ cluster, stateHistory, events }) => {
        await cluster.advance("20s")
        expect(stateHistory("app")).toEqual(["0 waiting PodInitializing", "5 running ready"])
        expect(stateHistory("side")).toEqual(["0 waiting PodInitializing", "6 running ready"])
        expect(imageEvents(await events())).toEqual([
          'Pulling: Pulling image "registry.example/app:v1"',
          'Pulled: Successfully pulled image "registry.example/app:v1" in 3s (3s including waiting). Image size: 0 bytes.',
          'Pulled: Container image "registry.example/app:v1" already present on machine',
          'Pulled: Container image "registry.example/app:v1" already present on machine'
        ])
      }
    ))

  it("that has to be pulled always is asked for again, and is not downloaded again", () => {
    const latest = { image: "registry.example/app" }
    return withPod(
      {
        containers: [
          { ...app, ...latest },
          { name: "side", ...latest }
        ]
      },
      { pull: { delay: "3s" }, start: "1s" },
      async ({ cluster, stateHistory, events }) => {
        await cluster.advance("20s")
        expect(stateHistory("side")).toEqual(["0 waiting ContainerCreating", "5.5 running ready"])
        const pulled = 'Pulled: Successfully pulled image "registry.example/app" in'
        expect(imageEvents(await events())).toEqual([
          'Pulling: Pulling image "registry.example/app"',
          `${pulled} 3s (3s including waiting). Image size: 0 bytes.`,
          'Pulling: Pulling image "registry.example/app"',
          `${pulled} 500ms (500ms including waiting). Image size: 0 bytes.`
        ])
      }
    )
  })

  it("that cannot be pulled is pulled again after 10, 20 and 40 s, with the error in its status", () => {
    const pull = { delay: "2s", failures, error: "manifest unknown" } as const
    return withPod({}, { pull }, async ({ cluster, pod, stateHistory }) => {
      await cluster.advance("5s")
      expect((await pod()).status.containerStatuses?.[0]?.state?.waiting).toEqual({
        reason: "ImagePullBackOff",
        message: 'Back-off pulling image "registry.example/app:v1": ErrImagePull: manifest unknown'
      })
      await cluster.advance("2m")
      expect(stateHistory("app")).toEqual([
        "0 waiting ContainerCreating",
        "2 waiting ErrImagePull",
        "3 waiting ImagePullBackOff",
        "14 waiting ErrImagePull",
        "15 waiting ImagePullBackOff",
        "36 waiting ErrImagePull",
        "37 waiting ImagePullBackOff",
        "78 running ready"
      ])
    })
  })

  it.each([
    {
      why: "has an invalid name",
      container: { image: "registry.example/app::v1" },
      waiting: "InvalidImageName",
      event: /^InspectFailed: Failed to apply default image tag .*: invalid reference format$/
    },
    {
      why: "has capitals in its repository",
      container: { image: "App:v1" },
      waiting: "InvalidImageName",
      event: /must be lowercase$/
    },
    {
      why: "is missing under pull policy Never",
      container: { imagePullPolicy: "Never" },
      waiting: "ErrImageNeverPull",
      event: /^ErrImageNeverPull: Container image .* is not present with pull policy of Never$/
    }
  ])("that $why is never available", ({ container, waiting, event }) =>
    withPod({ containers: [{ ...app, ...container }] }, { pull: { failures } }, async (podUnderTest) => {
      await podUnderTest.cluster.advance("20m")
      expect(await podUnderTest.states()).toEqual([`app waiting ${waiting}`])
      const messages = eventTexts(await podUnderTest.events())
      expect(messages.some((text) => event.test(text))).toBe(true)
      expect(messages).toContain(`Failed: Error: ${waiting}`)
    })
  )

  it("under pull policy Never is available by default", () =>
    withPod({ containers: [{ ...app, imagePullPolicy: "Never" }] }, {}, async ({ cluster, events }) => {
      await cluster.advance("1s")
      expect(eventTexts(await events()).slice(1)).toEqual([
        'Pulled: Container image "registry.example/app:v1" already present on machine',
        "Created: Container created",
        "Started: Container started"
      ])
    }))
})
