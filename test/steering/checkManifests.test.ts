import { describe, expect, it } from "vitest"
import { checkManifests } from "../../src/steering/checkManifests.ts"
import { problemText } from "../../src/manifests/manifestDocument.ts"

const approvalGate = "readinessGates: [{ conditionType: charthouse.dev/approved }]"
const noGate = "hostNetwork: false"

const deployment = (annotation: string, gate = annotation.includes("canary") ? approvalGate : noGate) => `
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  annotations:
    charthouse.dev/strategy: ${annotation}
spec:
  selector: { matchLabels: { app: web } }
  strategy: { rollingUpdate: { maxUnavailable: 0 } }
  template:
    metadata: { labels: { app: web } }
    spec:
      ${gate}
      containers: [{ name: web, image: web }]
`

const check = (text: string) => {
  const { problems, steered } = checkManifests([{ name: "web.yaml", text }])
  return { problems: problems.map(problemText), steered }
}

describe("the check of manifests", () => {
  it("accepts valid strategies", () => {
    expect(check(deployment("automaticRollback"))).toEqual({ problems: [], steered: ["web"] })
  })

  it.each([
    { what: "a name, on the line of the annotation", annotation: "canari", at: "web.yaml:7:5: " },
    {
      what: "a field, on its line of the block",
      annotation: "|\n      canary:\n        steps: [{ approve: 1 }]\n        step: 1",
      at: "web.yaml:10:9: "
    }
  ])("finds $what", ({ annotation, at }) => {
    const { problems, steered } = check(deployment(annotation))
    expect([problems.length, problems[0]?.startsWith(at), steered]).toEqual([1, true, []])
  })

  it("finds a gate that is missing in the template", () => {
    const { problems } = check(deployment("'canary: { steps: [{ approve: 1 }] }'", noGate))
    expect(problems.join("\n")).toContain("readinessGates")
  })

  it("finds what the API server would refuse", () => {
    const text = deployment("'canary: { steps: [{ approve: 1 }] }'")
    expect(check(text.replace("maxUnavailable: 0", "maxUnavailable: 0, maxSurge: 0")).problems).toEqual([
      expect.stringMatching(
        /^web\.yaml:10:\d+: The Deployment "web" is invalid: spec\.strategy\.rollingUpdate\.maxUnavailable: .*maxSurge/u
      )
    ])
  })

  it("looks at each version of a Deployment that is in several files", () => {
    const texts = ["canari", "automaticRollback", "canery"]
    const files = texts.map((text, index) => ({ name: `v${index}.yaml`, text: deployment(text) }))
    const { problems, steered } = checkManifests(files)
    expect(problems.map(({ file }) => file)).toEqual(["v0.yaml", "v2.yaml"])
    expect(steered).toEqual(["web"])
  })

  it("skips what only older clusters serve", () => {
    const ingress =
      "{ apiVersion: networking.k8s.io/v1beta1, kind: Ingress, metadata: { name: web }, spec: {} }"
    expect(check(`${ingress}\n---\n${deployment("automaticRollback")}`)).toEqual({
      problems: [],
      steered: ["web"]
    })
  })

  it("reports manifests that cannot be read, and skips other kinds", () => {
    expect(check("kind: Pod\n").problems).toHaveLength(1)
    expect(check("apiVersion: v1\nkind: Namespace\nmetadata: { name: a }\n")).toEqual({
      problems: [],
      steered: []
    })
  })

  it.each([
    {
      what: "a misspelt one",
      text: deployment("canari").replace("/strategy", "/stategy"),
      warning:
        "web.yaml:7:5: nothing reads the annotation charthouse.dev/stategy; did you mean charthouse.dev/strategy?"
    },
    {
      what: "an unknown one",
      text: deployment("canari").replace("/strategy", "/colour"),
      warning: "web.yaml:7:5: nothing reads the annotation charthouse.dev/colour"
    },
    {
      what: "one of the Pod template",
      text: deployment("canari")
        .replace(/\n {2}annotations:.*\n.*/u, "")
        .replace(
          "metadata: { labels: { app: web } }",
          "metadata: { labels: { app: web }, annotations: { charthouse.dev/strategy: canari } }"
        ),
      warning:
        "web.yaml:10:54: nothing reads the annotation charthouse.dev/strategy of a Pod template: " +
        "it belongs to metadata.annotations of the Deployment"
    },
    {
      what: "one of a StatefulSet",
      text: deployment("automaticRollback")
        .replace("kind: Deployment", "kind: StatefulSet")
        .replace(/\n {2}strategy: .*/u, ""),
      warning:
        "web.yaml:7:5: nothing reads the annotation charthouse.dev/strategy of a StatefulSet: only Deployments are steered"
    }
  ])("warns of an annotation that nothing reads: $what", ({ text, warning }) => {
    const { problems, steered, warnings } = checkManifests([{ name: "web.yaml", text }])
    expect({ problems, steered, warnings: warnings.map(problemText) }).toEqual({
      problems: [],
      steered: [],
      warnings: [warning]
    })
  })
})
