import { describe, expect, it } from "vitest"
import { resources } from "../../src/index.ts"
import { conditionText, tellPod } from "./podStories.ts"
import { eventTexts } from "./worlds.ts"
import type { Pod } from "../../src/index.ts"

const app = { name: "app", image: "registry.example/app:v1" }
const init = (name: string, more: object = {}) => ({ name, image: `registry.example/${name}:v1`, ...more })
const sidecar = (name: string, more: object = {}) => init(name, { restartPolicy: "Always", ...more })

describe("init containers", () => {
  const slow = { pull: { delay: "3s" }, start: "2s" } as const

  it("run one after another, and the app containers after them", () =>
    tellPod({ initContainers: [init("setup"), init("migrate")] }, slow, async ({ cluster, went }) => {
      await cluster.advance("20s")
      expect(went("setup")).toEqual(["0 waiting PodInitializing", "5 terminated Completed 0 ready"])
      expect(went("migrate")).toEqual(["0 waiting PodInitializing", "10 terminated Completed 0 ready"])
      expect(went("app")).toEqual(["0 waiting PodInitializing", "15 running ready"])
    }))

  it("leave the Pod Pending and uninitialized, and name those that are not done", () =>
    tellPod({ initContainers: [init("setup"), init("migrate")] }, slow, async ({ cluster, pod }) => {
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

  it("are addressed by name in a behaviour, and are started again with back-off until they end well", () => {
    const containers = { setup: { exit: { after: "4s", code: 3, times: 3 } } }
    return tellPod({ initContainers: [init("setup")] }, { containers }, async ({ cluster, pod, went }) => {
      await cluster.advance("9s")
      expect((await pod()).status.phase).toBe("Pending")
      await cluster.advance("60s")
      expect(went("setup")).toEqual([
        "0 waiting PodInitializing",
        "0 running",
        "8 waiting CrashLoopBackOff",
        "18 running",
        "22 waiting CrashLoopBackOff",
        "42 terminated Completed 0 ready"
      ])
      expect(went("app")).toEqual(["0 waiting PodInitializing", "42 running ready"])
      expect((await pod()).status.initContainerStatuses?.[0]?.restartCount).toBe(3)
    })
  })

  it("that fail are the end of a Pod that never restarts", () => {
    const containers = { setup: { exit: { after: "4s", code: 3 } } }
    const spec = { restartPolicy: "Never", initContainers: [init("setup"), init("migrate")] }
    return tellPod(spec, { containers }, async ({ cluster, pod, states }) => {
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

  it("that a behaviour does not name go well, however badly the others do", () => {
    const living = { exit: { after: "5s", code: 1 }, hang: "1s" } as const
    return tellPod({ initContainers: [init("setup"), sidecar("proxy")] }, living, async (story) => {
      await story.cluster.advance("8s")
      expect(await story.states()).toEqual([
        "setup terminated Completed 0 ready",
        "proxy running ready",
        "app running ready"
      ])
      expect((await story.pod()).status.containerStatuses?.[0]?.restartCount).toBe(1)
    })
  })

  it("say what happens to them under spec.initContainers", () =>
    tellPod({ initContainers: [init("setup")] }, {}, async ({ cluster, events }) => {
      await cluster.advance("1s")
      const paths = (await events()).map(({ involvedObject }) => involvedObject?.fieldPath)
      expect(new Set(paths)).toEqual(
        new Set([undefined, "spec.initContainers{setup}", "spec.containers{app}"])
      )
    }))
})

describe("sidecars", () => {
  it("let the next container begin once they have started, and go on beside it", () => {
    const startupProbe = { exec: { command: ["ask"] }, periodSeconds: 4 }
    const spec = { initContainers: [sidecar("proxy", { startupProbe }), init("setup")] }
    const containers = { proxy: { ready: "5s" } }
    return tellPod(spec, { containers }, async ({ cluster, went, states }) => {
      await cluster.advance("30s")
      expect(went("setup")).toEqual(["0 waiting PodInitializing", "8 terminated Completed 0 ready"])
      expect(went("app")).toEqual(["0 waiting PodInitializing", "8 running ready"])
      expect(await states()).toContain("proxy running ready")
    })
  })

  it("count for readiness, and are started again whatever the Pod's policy", () => {
    const containers = { proxy: { exit: { after: "6s", code: 0, times: 1 }, start: "2s" } }
    const spec = { restartPolicy: "Never", initContainers: [sidecar("proxy")] }
    return tellPod(spec, { containers }, async ({ cluster, pod, states }) => {
      await cluster.advance("9s")
      expect(conditionText(await pod(), "Ready")).toBe(
        "False ContainersNotReady containers with unready status: [proxy]"
      )
      expect(conditionText(await pod(), "Initialized")).toBe("True")
      await cluster.advance("3s")
      expect(await states()).toEqual(["proxy running ready", "app running ready"])
    })
  })

  it("are stopped when the app containers have ended, and only then has the Pod", () => {
    const containers = { app: { exit: { after: "9s", code: 0 } } }
    const spec = { restartPolicy: "Never", initContainers: [sidecar("proxy")] }
    return tellPod(spec, { containers, terminate: "4s" }, async ({ cluster, pod, went }) => {
      await cluster.advance("11s")
      expect((await pod()).status.phase).toBe("Running")
      await cluster.advance("3s")
      expect((await pod()).status.phase).toBe("Succeeded")
      expect(went("proxy").at(-1)).toBe("13 terminated Completed 0")
    })
  })

  it("stop after the app containers, the last that began first, within one grace", () =>
    tellPod(
      { initContainers: [sidecar("one"), sidecar("two")], terminationGracePeriodSeconds: 7 },
      { terminate: "3s" },
      async ({ cluster, went, found }) => {
        await cluster.advance("10s")
        await cluster.delete({ resource: resources.pods, name: "told" })
        await cluster.advance("30s")
        expect(await found()).toBeUndefined()
        const ends = ["app", "two", "one"].map((name) => went(name).at(-1))
        expect(ends).toEqual([
          "13 terminated Completed 0",
          "16 terminated Completed 0",
          // Two seconds are the least that is left to it, and it would have taken three.
          "18 terminated Error 137"
        ])
      }
    ))
})

describe("a container that crashes", () => {
  const waits = (crashes: number) => ({ exit: { after: "3s", code: 1, times: crashes } })

  it("is started again at once, and then after 10, 20, 40, 80, 160, 300 and 300 s", () =>
    tellPod({}, waits(9), async ({ cluster, went }) => {
      await cluster.advance("20m")
      const runs = went("app").filter((line) => line.includes("running"))
      const begins = runs.map((line) => Number(line.split(" ")[0]))
      const seconds = [0, 3 + 3 + 10, 20, 40, 80, 160, 300, 300]
      let at = 0
      const expected = seconds.map((wait, index) => (at += wait + (index < 2 ? 0 : 3)))
      expect(begins).toEqual(expected)
    }))

  it("says how long it is waited, of the very wait", () =>
    tellPod({}, waits(8), async ({ cluster, pod }) => {
      const said: Array<string> = []
      cluster.onChange(({ resource, object }) => {
        if (resource !== resources.pods) return
        const message = (object as Pod).status.containerStatuses?.[0]?.state?.waiting?.message
        if (message !== undefined && message !== said.at(-1)) said.push(message)
      })
      await cluster.advance("20m")
      const { uid } = (await pod()).metadata
      const waited = ["10s", "20s", "40s", "1m20s", "2m40s", "5m0s"]
      expect(said).toEqual(
        waited.map((wait) => `back-off ${wait} restarting failed container=app pod=told_default(${uid})`)
      )
    }))

  it.each([
    { after: "10m", why: "ten minutes forgive the crashes before", again: 600 },
    { after: "9m59s", why: "a second less does not", again: 599 + 10 }
  ])("when its second run has lasted $after is next started $again s after that began: $why", (row) =>
    tellPod({}, { exit: { after: row.after, code: 0, times: 3 } }, async ({ cluster, pod }) => {
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
  ] as const)("backs off after $end as well, and says so", ({ exit, end }) =>
    tellPod({}, { exit, start: "1s" }, async ({ cluster, pod, went, events }) => {
      await cluster.advance("8s")
      expect(went("app")).toEqual([
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

  it("that cannot be pulled is asked for after 10, 20 and 40 s, and the error is told", () => {
    const pull = { delay: "2s", failures, error: "manifest unknown" } as const
    return tellPod({}, { pull }, async ({ cluster, pod, went }) => {
      await cluster.advance("5s")
      expect((await pod()).status.containerStatuses?.[0]?.state?.waiting).toEqual({
        reason: "ImagePullBackOff",
        message: 'Back-off pulling image "registry.example/app:v1": ErrImagePull: manifest unknown'
      })
      await cluster.advance("2m")
      expect(went("app")).toEqual([
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
      why: "has a name that is none",
      container: { image: "registry.example/app::v1" },
      waiting: "InvalidImageName",
      event: /^InspectFailed: Failed to apply default image tag .*: invalid reference format$/
    },
    {
      why: "has a repository in capitals",
      container: { image: "App:v1" },
      waiting: "InvalidImageName",
      event: /must be lowercase$/
    },
    {
      why: "may not be pulled and is not there",
      container: { imagePullPolicy: "Never" },
      waiting: "ErrImageNeverPull",
      event: /^ErrImageNeverPull: Container image .* is not present with pull policy of Never$/
    }
  ])("that $why is never had", ({ container, waiting, event }) =>
    tellPod({ containers: [{ ...app, ...container }] }, { pull: { failures } }, async (story) => {
      await story.cluster.advance("20m")
      expect(await story.states()).toEqual([`app waiting ${waiting}`])
      const said = eventTexts(await story.events())
      expect(said.some((text) => event.test(text))).toBe(true)
      expect(said).toContain(`Failed: Error: ${waiting}`)
    })
  )

  it("that may not be pulled is there where nothing is said against it", () =>
    tellPod({ containers: [{ ...app, imagePullPolicy: "Never" }] }, {}, async ({ cluster, events }) => {
      await cluster.advance("1s")
      expect(eventTexts(await events()).slice(1)).toEqual([
        'Pulled: Container image "registry.example/app:v1" already present on machine',
        "Created: Container created",
        "Started: Container started"
      ])
    }))
})
