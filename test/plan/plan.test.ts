import { describe, expect, it } from "vitest"
import { explore, plan } from "../../src/plan/plan.ts"
import { steady } from "../../src/behaviours/builtInBehaviours.ts"
import { service, slowPods } from "./planManifests.ts"

describe("plan and explore", () => {
  const yaml = (image: string) => `apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
  replicas: 2
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec: { containers: [{ name: app, image: "${image}" }] }
`
  it("take YAML, and report the failed predicates", async () => {
    const options = {
      next: yaml("app:2"),
      from: yaml("app:1"),
      seeds: 3,
      assume: slowPods,
      failOn: "pods>2,stuck>0"
    }
    const planned = await plan(options)
    expect(planned).toMatchObject({ seeds: 3, rollouts: [{ name: "web", duration: { worst: 20_000 } }] })
    expect(planned.failed).toEqual([
      { predicate: "pods>2", kind: "Deployment", namespace: "default", name: "web" }
    ])
    expect(JSON.stringify(await plan({ ...options, seeds: [1, 2, 3] }))).toBe(JSON.stringify(planned))
  })

  it("have the namespaces of the manifests", async () => {
    const inShop = (image: string) => yaml(image).replace("metadata:\n", "metadata:\n  namespace: shop\n")
    const options = { next: inShop("app:2"), from: inShop("app:1") }
    const { rollouts } = await plan({ ...options, seeds: 1 })
    expect(rollouts).toMatchObject([{ namespace: "shop", isNew: false, stuck: 0 }])
    expect(await explore(options)).toMatchObject([{ namespace: "shop", isNew: false }])
  })

  it("warn of custom resources, which are left out", async () => {
    const widget = "{ apiVersion: example.com/v1, kind: Widget, metadata: { name: w } }"
    const options = { next: `${widget}\n---\n${yaml("app:2")}`, from: yaml("app:1") }
    const warnings = ["Widget of example.com/v1 is left out: no controller acts on custom resources here"]
    expect(await plan({ ...options, seeds: 1 })).toMatchObject({ rollouts: [{ stuck: 0 }], warnings })
    expect(await explore(options)).toMatchObject([{ name: "web", warnings }])
  })

  it("refuse predicates of something that is not measured", async () => {
    const [next, from] = [yaml("app:2"), yaml("app:1")]
    const lonely = { ...service, spec: { ...service.spec, selector: { app: "another" } } }
    const available =
      "failOn, available<1: a workload that is new has no available Pods to lose; say with from what runs before"
    const rows: ReadonlyArray<readonly [planned: Promise<unknown>, problem: string]> = [
      [plan({ next, failOn: "available<1" }), available],
      [explore({ next, failOn: "available<1" }), available],
      [
        plan({ next, failOn: "lost>0" }),
        "failOn, lost>0: no client sends requests to a new workload yet; say with from what runs before"
      ],
      [
        plan({ next, from, failOn: "pods>9,lost>0" }),
        "failOn, lost>0: there is no Service whose requests could be lost; put it into the file"
      ],
      [
        plan({ next, from: `${from}---\n${JSON.stringify(lonely)}`, failOn: "lost>0" }),
        "failOn, lost>0: no Service selects the Pods that are rolled out, and none of its requests could be lost"
      ],
      [
        plan({ next: `${next}---\n${JSON.stringify(service)}`, from, failOn: "lost>0" }),
        "failOn, lost>0: no client sends requests to a new Service yet, and no other selects the Pods that are " +
          "rolled out; put it into from as well, so that it exists before"
      ]
    ]
    for (const [planned, problem] of rows)
      await expect(planned).rejects.toMatchObject({ _tag: "InvalidOptions", problems: [problem] })
  })

  it("refuse invalid options and manifests", async () => {
    await expect(plan({ next: "kind: Nothing" })).rejects.toMatchObject({ _tag: "ManifestsRefused" })
    await expect(plan({ next: yaml("a"), assume: "start=soon" })).rejects.toMatchObject({
      _tag: "InvalidOptions",
      message: expect.stringMatching(/^assume, column 7: "soon" is no duration/)
    })
    await expect(plan({ nxt: yaml("a") } as never)).rejects.toThrow(
      "nxt is no option of plan: did you mean next?; next is required: what is to be rolled out"
    )
    await expect(plan({ next: yaml("a"), behaviours: steady as never })).rejects.toThrow(
      "behaviours must be a list, not {"
    )
    await expect(plan(undefined as never)).rejects.toThrow("the options must be an object, not undefined")
    const lonely = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" }, data: { b: "c" } }
    const daemonSet = {
      apiVersion: "apps/v1",
      kind: "DaemonSet",
      metadata: { name: "log" },
      spec: {
        selector: { matchLabels: { app: "log" } },
        template: {
          metadata: { labels: { app: "log" } },
          spec: { containers: [{ name: "app", image: "log:1" }] }
        }
      }
    }
    for (const [planned, why] of [
      [
        plan({ next: lonely }),
        "Deployment, StatefulSet, DaemonSet or Job, so that there is no rollout to plan"
      ],
      [explore({ next: daemonSet }), "Deployment, so that there is no rollout to explore"]
    ] as const) {
      await expect(planned).rejects.toMatchObject({ _tag: "InvalidOptions" })
      await expect(planned).rejects.toThrow(`next has no ${why}`)
    }
    for (const seeds of [0, -2, 1.5, 1e9, "abc", [], [1, "2"], null]) {
      const planned = plan({ next: yaml("a"), seeds: seeds as number })
      await expect(planned).rejects.toMatchObject({ _tag: "InvalidOptions" })
      await expect(planned).rejects.toThrow(
        `seeds must be a number from 1 to 100000, or a list of integers, not ${JSON.stringify(seeds)}`
      )
    }
    for (const planned of [
      plan({ next: yaml("a"), assume: 5 as never }),
      explore({ next: yaml("a"), failOn: 5 as never })
    ]) {
      await expect(planned).rejects.toMatchObject({ _tag: "InvalidOptions" })
      await expect(planned).rejects.toThrow(/^(assume|failOn) must be text, not 5$/)
    }
  })
})
