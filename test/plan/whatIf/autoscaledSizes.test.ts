import { describe, expect, it } from "vitest"
import { plan } from "../../../src/plan/plan.ts"

const web = (image: string, replicas: string) => `
apiVersion: apps/v1
kind: Deployment
metadata: { name: web }
spec:
  ${replicas}
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec: { containers: [{ name: app, image: "${image}", resources: { requests: { cpu: "2" } } }] }
`
const autoscaler = (min: number, max: number) => `
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: { name: load }
spec:
  scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: web }
  minReplicas: ${min}
  maxReplicas: ${max}
  metrics: [{ type: Resource, resource: { name: cpu, target: { type: Utilization, averageUtilization: 80 } } }]
`
const quota = (cpu: number) =>
  `{ apiVersion: v1, kind: ResourceQuota, metadata: { name: team }, spec: { hard: { requests.cpu: "${cpu}" } } }`
const planned = async (replicas: string, more: ReadonlyArray<string>) => {
  const files = (image: string) => [web(image, replicas), ...more].join("\n---\n")
  const { verdicts, rollouts } = await plan({ next: files("app:2"), from: files("app:1"), seeds: 1 })
  return { verdicts, sizes: rollouts[0]?.sizes.map((it) => [it.replicas, it.outcome]) }
}

describe("the sizes that an autoscaler allows", () => {
  it("are played beside the size of the manifest, and risky where a quota is in the way", async () => {
    const { sizes, verdicts } = await planned("paused: false", [autoscaler(2, 12), quota(20)])
    expect(sizes).toEqual([
      [2, "complete"],
      [12, "stuck"]
    ])
    expect(verdicts).toMatchObject([
      {
        verdict: "risky",
        rules: ["autoscaler-range"],
        reasons: [
          expect.stringMatching(
            /^with 12 replicas, as HorizontalPodAutoscaler\/load allows, it never completes: .*exceeded quota: team/
          )
        ]
      }
    ])
  })

  it("are played on as many more nodes as Pods, if no nodes are given", async () => {
    const { sizes, verdicts } = await planned("paused: false", [autoscaler(1, 150)])
    expect(sizes).toEqual([[150, "complete"]])
    expect(verdicts).toMatchObject([{ verdict: "ships" }])
  })

  it("are not played of a DaemonSet, which no autoscaler scales", async () => {
    const files = [web("app:2", "minReadySeconds: 0"), autoscaler(1, 5)].join("\n---\n")
    const { rollouts } = await plan({ next: files.replaceAll("Deployment", "DaemonSet"), seeds: 1 })
    expect(rollouts.map(({ kind, sizes }) => [kind, sizes])).toEqual([["DaemonSet", []]])
  })

  it("are not played at the size of the manifest, at 0 replicas, or above 300", async () => {
    expect((await planned("replicas: 3", [autoscaler(3, 3)])).sizes).toEqual([])
    expect((await planned("replicas: 0", [autoscaler(1, 5)])).sizes).toEqual([])
    expect((await planned("replicas: 1", [autoscaler(1, 301)])).sizes).toEqual([])
  })
})
