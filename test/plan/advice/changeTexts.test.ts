import { describe, expect, it } from "vitest"
import { changeTexts } from "../../../src/plan/advice/changeTexts.ts"
import { readManifests } from "../../../src/manifests/readManifests.ts"
import { withChanges } from "../../../src/plan/advice/objectChange.ts"
import type { ObjectChange } from "../../../src/plan/advice/objectChange.ts"

const text = `
apiVersion: apps/v1
kind: Deployment
metadata: { name: web }
spec:
  strategy: { rollingUpdate: { maxSurge: 0 } }
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec:
      containers:
        - name: log
          image: log:1
        - name: app
          image: app:1
          lifecycle: { preStop: { exec: { command: [sleep, "1"] } } }
`
const { documents } = readManifests([{ name: "web.yaml", text }], { strict: true })

const changed = (spec: object, changesTermination = false): ObjectChange => ({
  kind: "Deployment",
  namespace: "default",
  name: "web",
  fields: { spec },
  changesTermination
})

const sleeping = changed(
  {
    template: {
      spec: { containers: [{ name: "app", lifecycle: { preStop: { exec: null, sleep: { seconds: 2 } } } }] }
    }
  },
  true
)

describe("the texts of changes", () => {
  it("have only what changes, and where it stands", () => {
    const { patch, diff, fields } = changeTexts({ next: documents }, [
      sleeping,
      changed({ strategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } } })
    ])
    expect(fields).toBe(4)
    expect(diff).toBe(
      [
        " apiVersion: apps/v1",
        " kind: Deployment",
        " metadata:",
        "   name: web",
        " spec:",
        "   template:",
        "     spec:",
        "       containers:",
        "         - name: app",
        "           lifecycle:",
        "             preStop:",
        "-              exec:",
        "-                command:",
        "-                  - sleep",
        '-                  - "1"',
        "+              sleep:",
        "+                seconds: 2",
        "   strategy:",
        "     rollingUpdate:",
        "-      maxSurge: 0",
        "+      maxSurge: 1",
        "+      maxUnavailable: 0",
        ""
      ].join("\n")
    )
    expect(patch).toContain("            preStop:\n              exec: null\n")
  })

  it("are of one object for all its changes, where the later one holds", () => {
    const { diff } = changeTexts({ next: documents }, [
      changed({ minReadySeconds: 1 }),
      changed({ minReadySeconds: 2 })
    ])
    expect(diff.match(/^\+.*$/gm)).toEqual(["+  minReadySeconds: 2"])
  })
})

describe("changed manifests", () => {
  it("have the fields in the version that runs before, too, if Pods need them when they stop", () => {
    const { next, from } = withChanges({ next: documents, from: documents }, [
      sleeping,
      changed({ minReadySeconds: 3 })
    ])
    expect([next, from].map((it) => it?.[0]?.rawFields["spec"])).toMatchObject([
      { minReadySeconds: 3, template: { spec: { containers: [{ image: "log:1" }, { image: "app:1" }] } } },
      { template: { spec: { containers: [{}, { lifecycle: { preStop: { sleep: { seconds: 2 } } } }] } } }
    ])
    expect(from?.[0]?.rawFields["spec"]).not.toHaveProperty("minReadySeconds")
  })

  it("get no container that does not run before", () => {
    const others = readManifests([{ name: "web.yaml", text: text.replace("name: app", "name: old") }], {
      strict: true
    }).documents
    expect(withChanges({ next: documents, from: others }, [sleeping]).from).toEqual(others)
  })
})
