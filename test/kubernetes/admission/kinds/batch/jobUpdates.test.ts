import { describe, expect, it } from "vitest"
import { refusesChange, updateErrors } from "../kindErrors.ts"
import { edited, type ErrorRow } from "../../drafts.ts"
import type { LooseDraft } from "../../../../builders.ts"

const selector = { matchLabels: { "batch.kubernetes.io/controller-uid": "1a" } }
const running: LooseDraft = {
  apiVersion: "batch/v1",
  kind: "Job",
  metadata: { name: "pi", namespace: "shop", uid: "1a", resourceVersion: "7" },
  spec: {
    completions: 3,
    parallelism: 2,
    completionMode: "NonIndexed",
    suspend: false,
    selector,
    template: {
      metadata: { labels: { "batch.kubernetes.io/controller-uid": "1a" } },
      spec: {
        restartPolicy: "Never",
        containers: [{ name: "pi", image: "perl", resources: { requests: { cpu: "1" } } }]
      }
    }
  }
}
const indexed = edited(running, ["spec.completionMode", "Indexed"])
const suspended = edited(running, ["spec.suspend", true])
const stopped = edited(suspended, ["status", { startTime: "2026-01-01T00:00:00Z", active: 0 }])
const marked = edited(stopped, ["status.conditions", [{ type: "Suspended", status: "True" }]])
const stillBusy = edited(suspended, ["status", { active: 1 }])

const container = "spec.template.spec.containers.0"
const immutable = (field: string, value: string) =>
  `spec.${field}: Invalid value: ${value}: field is immutable`

/** The errors of a change of a template, which they show whole, with its defaults. */
const refusesTemplate = (stored: LooseDraft, rows: ReadonlyArray<ErrorRow>): void => {
  it.each(rows)("$why", ({ edits, errors }) => {
    const templateErrors = updateErrors(stored, ...edits)
    expect(templateErrors.map((error) => error.replace(/: Invalid value: \{.*\}: /, ": "))).toEqual(errors)
  })
}

describe("a stored Job", () => {
  refusesChange(running, [
    {
      why: "may change how many Pods run at once, its limits and its suspension",
      edits: [
        ["spec.parallelism", 5],
        ["spec.backoffLimit", 1],
        ["spec.activeDeadlineSeconds", 60],
        ["spec.ttlSecondsAfterFinished", 5],
        ["spec.suspend", true]
      ],
      errors: []
    },
    {
      why: "may write the same amount in another way",
      edits: [[`${container}.resources.requests.cpu`, "1000m"]],
      errors: []
    },
    {
      why: "keeps what its Pods are counted by",
      edits: [
        ["spec.completionMode", "Indexed"],
        ["spec.managedBy", "example.com/queue"]
      ],
      errors: [immutable("completionMode", '"Indexed"'), immutable("managedBy", '"example.com/queue"')]
    }
  ])
})

describe("the completions of a stored Job", () => {
  refusesChange(running, [
    { why: "stay", edits: [["spec.completions", 4]], errors: [immutable("completions", "4")] }
  ])
})

describe("the completions of a stored Indexed Job", () => {
  refusesChange(indexed, [
    {
      why: "change together with its parallelism",
      edits: [
        ["spec.completions", 4],
        ["spec.parallelism", 4]
      ],
      errors: []
    },
    {
      why: "do not change alone",
      edits: [["spec.completions", 4]],
      errors: ["spec.completions: Invalid value: 4: can only be modified in tandem with spec.parallelism"]
    }
  ])
})

describe("the template of a suspended Job", () => {
  refusesTemplate(suspended, [
    {
      why: "may change what its containers ask for and where its Pods may run, before the Job has started",
      edits: [
        [`${container}.resources.requests.cpu`, "2"],
        ["spec.template.spec.nodeSelector", { zone: "a" }],
        ["spec.template.spec.tolerations", [{ key: "a", operator: "Exists" }]],
        ["spec.template.spec.affinity", { nodeAffinity: {} }],
        ["spec.template.metadata.annotations", { a: "b" }]
      ],
      errors: []
    },
    {
      why: "may not change its image",
      edits: [[`${container}.image`, "raku"]],
      errors: ["spec.template.spec: field is immutable"]
    },
    {
      why: "may not change its affinity to Pods",
      edits: [["spec.template.spec.affinity", { podAntiAffinity: {} }]],
      errors: ["spec.template.spec: field is immutable"]
    }
  ])
})

describe("the resources of a Job's template", () => {
  const edits = [[`${container}.resources.requests.cpu`, "2"]] as const
  const errors = ["spec.template: field is immutable"]

  refusesTemplate(running, [{ why: "stay while it runs", edits, errors }])
  refusesTemplate(stillBusy, [{ why: "stay while a Pod of a suspended Job still runs", edits, errors }])
  refusesTemplate(stopped, [{ why: "stay until a Job that ran is known to be suspended", edits, errors }])
  refusesTemplate(marked, [
    { why: "may change once a Job that ran is known to be suspended", edits, errors: [] }
  ])
})
