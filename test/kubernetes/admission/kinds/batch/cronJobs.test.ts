import { describe } from "vitest"
import { refusesChange, refusesNew } from "../kindErrors.ts"
import { edited } from "../../drafts.ts"
import type { LooseDraft } from "../../../../builders.ts"

const aCronJob: LooseDraft = {
  apiVersion: "batch/v1",
  kind: "CronJob",
  metadata: { name: "backup", namespace: "shop" },
  spec: {
    schedule: "*/5 * * * *",
    jobTemplate: {
      spec: {
        template: {
          spec: { restartPolicy: "OnFailure", containers: [{ name: "backup", image: "busybox" }] }
        }
      }
    }
  }
}
const job = "spec.jobTemplate.spec"
const schedule = (text: string, why: string) => `spec.schedule: Invalid value: "${text}": ${why}`
const zone = (name: string, why: string) => `spec.timeZone: Invalid value: "${name}": ${why}`
const negative = (field: string) => `spec.${field}: Invalid value: -1: must be greater than or equal to 0`

describe("a new CronJob", () => {
  refusesNew(aCronJob, [
    { why: "is valid", edits: [], errors: [] },
    { why: "needs a schedule", edits: [["spec.schedule", ""]], errors: ["spec.schedule: Required value"] },
    {
      why: "has five fields in its schedule",
      edits: [["spec.schedule", "a b c"]],
      errors: [schedule("a b c", "expected exactly 5 fields, found 3: [a b c]")]
    },
    {
      why: "has no minute 70",
      edits: [["spec.schedule", "70 * * * *"]],
      errors: [schedule("70 * * * *", "end of range (70) above maximum (59): 70")]
    },
    {
      why: "has its time zone in its own field",
      edits: [["spec.schedule", "TZ=UTC 0 * * * *"]],
      errors: [
        schedule("TZ=UTC 0 * * * *", "cannot use TZ or CRON_TZ in schedule, use timeZone field instead")
      ]
    },
    {
      why: "has a time zone without a schedule",
      edits: [["spec.schedule", "CRON_TZ=UTC"]],
      errors: [
        schedule("CRON_TZ=UTC", "invalid schedule format: runtime error: slice bounds out of range [:-1]"),
        schedule("CRON_TZ=UTC", "cannot use TZ or CRON_TZ in schedule, use timeZone field instead")
      ]
    },
    { why: "may have a time zone", edits: [["spec.timeZone", "Europe/Berlin"]], errors: [] },
    {
      why: "has no empty time zone",
      edits: [["spec.timeZone", ""]],
      errors: [zone("", "timeZone must be nil or non-empty string")]
    },
    {
      why: "has a time zone that exists",
      edits: [["spec.timeZone", "Europe/Atlantis"]],
      errors: [zone("Europe/Atlantis", "unknown time zone Europe/Atlantis")]
    },
    {
      why: "has a time zone with a name, not a path",
      edits: [["spec.timeZone", "../Berlin"]],
      errors: [zone("../Berlin", "unknown time zone ../Berlin")]
    },
    {
      why: "does not follow the zone of the server",
      edits: [["spec.timeZone", "Local"]],
      errors: [
        zone("Local", "timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones")
      ]
    },
    {
      why: "has a policy that exists, and no negative amounts",
      edits: [
        ["spec.concurrencyPolicy", "Maybe"],
        ["spec.startingDeadlineSeconds", -1],
        ["spec.successfulJobsHistoryLimit", -1],
        ["spec.failedJobsHistoryLimit", -1]
      ],
      errors: [
        negative("startingDeadlineSeconds"),
        'spec.concurrencyPolicy: Unsupported value: "Maybe": supported values: "Allow", "Forbid", "Replace"',
        negative("successfulJobsHistoryLimit"),
        negative("failedJobsHistoryLimit")
      ]
    },
    {
      why: "has Jobs whose selectors are generated and whose Pods end",
      edits: [
        [`${job}.selector`, { matchLabels: { app: "backup" } }],
        [`${job}.manualSelector`, true],
        [`${job}.template.spec.restartPolicy`, undefined]
      ],
      errors: [
        `${job}.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"`,
        `${job}.selector: Invalid value: {"matchLabels":{"app":"backup"}}: \`selector\` will be auto-generated`,
        `${job}.manualSelector: Unsupported value: true: supported values: "nil", "false"`
      ]
    },
    {
      why: "has a name that leaves room for the time in the names of its Jobs",
      edits: [["metadata.name", "b".repeat(53)]],
      errors: [`metadata.name: Invalid value: "${"b".repeat(53)}": must be no more than 52 characters`]
    }
  ])
})

describe("a stored CronJob", () => {
  const old = edited(aCronJob, ["spec.schedule", "TZ=UTC 0 * * * *"])
  const unknown = edited(aCronJob, ["spec.timeZone", "Europe/Atlantis"])

  refusesChange(old, [
    { why: "keeps a time zone in its schedule", edits: [["spec.suspend", true]], errors: [] },
    {
      why: "has one time zone",
      edits: [["spec.timeZone", "UTC"]],
      errors: [schedule("TZ=UTC 0 * * * *", "cannot use both timeZone field and TZ or CRON_TZ in schedule")]
    }
  ])
  refusesChange(unknown, [
    { why: "keeps a time zone that is no longer known", edits: [["spec.suspend", true]], errors: [] },
    {
      why: "may change all of its template",
      edits: [[`${job}.template.spec.containers.0.image`, "alpine"]],
      errors: []
    }
  ])
})
