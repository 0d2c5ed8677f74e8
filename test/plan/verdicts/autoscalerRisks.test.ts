import { describe, expect, it } from "vitest"
import { objectText } from "./mistakenManifests.ts"
import { planMistake } from "./planMistake.ts"
import type { Mistake } from "./planMistake.ts"

const web = (pod: string, container = "tty: false", kind = "Deployment") =>
  objectText(
    "apps/v1",
    kind,
    "web",
    `spec: { selector: { matchLabels: { app: web } }, template: { metadata: { labels: { app: web } }, spec: { ${pod}, containers: [{ name: app, image: "app:2", ${container} }] } } }`
  )
const autoscaler = (metric: string, kind = "Deployment") =>
  objectText(
    "autoscaling/v2",
    "HorizontalPodAutoscaler",
    "web",
    `spec: { scaleTargetRef: { apiVersion: apps/v1, kind: ${kind}, name: web }, maxReplicas: 3, metrics: [{ ${metric} }] }`
  )
const utilization = "name: cpu, target: { type: Utilization, averageUtilization: 70 }"
const ofPods = autoscaler(`type: Resource, resource: { ${utilization} }`)
const ofContainer = (name: string, target = utilization) =>
  autoscaler(`type: ContainerResource, containerResource: { container: ${name}, ${target} }`)
const requesting = "resources: { requests: { cpu: 100m } }"
const sidecar = 'initContainers: [{ name: proxy, image: "proxy:1", restartPolicy: Always }]'
const migration = 'initContainers: [{ name: migrate, image: "migrate:1" }]'

const rows: ReadonlyArray<Mistake> = [
  {
    why: "the Pods as a whole request what it measures",
    next: [web("resources: { requests: { cpu: 500m } }"), ofPods],
    verdict: "ships"
  },
  {
    why: "a LimitRange fills in the request",
    next: [
      objectText(
        "v1",
        "LimitRange",
        "limits",
        "spec: { limits: [{ type: Container, defaultRequest: { cpu: 100m } }] }"
      ),
      web("dnsPolicy: Default"),
      ofPods
    ],
    verdict: "ships"
  },
  {
    why: "a sidecar requests nothing",
    next: [web(sidecar, requesting), ofPods],
    verdict: "risky",
    reasons: ['HorizontalPodAutoscaler/web never scales: container "proxy" requests no cpu']
  },
  {
    why: "an init container, which has ended when it is measured, requests nothing",
    next: [web(migration, requesting), ofPods],
    verdict: "ships"
  },
  {
    why: "the only container that it measures requests something",
    next: [web(sidecar, requesting), ofContainer("app")],
    verdict: "ships"
  },
  {
    why: "it measures a container that no Pod has",
    next: [web(sidecar, requesting), ofContainer("ap")],
    verdict: "risky",
    reasons: ['HorizontalPodAutoscaler/web never scales: its Pods have no container "ap"']
  },
  {
    why: "it measures the usage of a container that no Pod has",
    next: [web(sidecar), ofContainer("ap", "name: cpu, target: { type: AverageValue, averageValue: 50m }")],
    verdict: "risky",
    reasons: ['HorizontalPodAutoscaler/web never scales: its Pods have no container "ap"']
  },
  {
    why: "it measures the usage of a container that requests nothing",
    next: [
      web(sidecar),
      ofContainer("proxy", "name: cpu, target: { type: AverageValue, averageValue: 50m }")
    ],
    verdict: "ships"
  },
  {
    why: "it scales a DaemonSet",
    next: [
      web("dnsPolicy: Default", requesting, "DaemonSet"),
      autoscaler(`type: Resource, resource: { ${utilization} }`, "DaemonSet")
    ],
    verdict: "risky",
    reasons: ["HorizontalPodAutoscaler/web never scales: a DaemonSet has no scale subresource"]
  },
  {
    why: "it has the workload's name, and scales one of another name",
    next: [web("dnsPolicy: Default"), ofPods.replace("name: web }, max", "name: wbe }, max")],
    verdict: "risky",
    reasons: [
      "HorizontalPodAutoscaler/web scales Deployment/wbe, which no file creates; did you mean Deployment/web?"
    ]
  },
  {
    why: "it scales another kind of that name",
    next: [
      web("dnsPolicy: Default"),
      autoscaler(`type: Resource, resource: { ${utilization} }`, "StatefulSet")
    ],
    verdict: "risky",
    reasons: [
      "HorizontalPodAutoscaler/web scales StatefulSet/web, which no file creates; did you mean Deployment/web?"
    ]
  },
  {
    why: "it is in another namespace",
    next: [web("dnsPolicy: Default"), ofPods.replace("name: web }", "name: web, namespace: shop }")],
    verdict: "risky",
    reasons: [
      "HorizontalPodAutoscaler/web scales Deployment/web in namespace shop, which no file creates; did you mean Deployment/web in namespace default?"
    ]
  },
  {
    why: "it scales a workload of another file",
    next: [web("dnsPolicy: Default"), ofPods.replaceAll("name: web }", "name: api }")],
    verdict: "ships"
  }
]

describe("an autoscaler", () => {
  it.for(rows)("is $verdict where $why", async (row) => {
    const { reasons = [] } = row
    expect(await planMistake({ ...row, reasons })).toEqual({ ...row, reasons })
  })
})
