import { describe, expect, it } from "vitest"
import { podErrors, type ErrorRow } from "../drafts.ts"

const app = "spec.containers.0"
const field = "spec.containers[0]"
const range = "must be between 1 and 65535, inclusive"
const tooLong = "must be non-negative and less than terminationGracePeriodSeconds"
const exec = { command: ["x"] }

describe("a probe (TestValidateProbe, TestValidateHandler)", () => {
  const rows: ReadonlyArray<ErrorRow> = [
    {
      why: "has one of four handlers",
      edits: [
        [`${app}.livenessProbe`, { exec, terminationGracePeriodSeconds: 1 }],
        [`${app}.readinessProbe`, { httpGet: { port: "http", scheme: "HTTPS" } }],
        [`${app}.startupProbe`, { grpc: { port: 65_535 }, terminationGracePeriodSeconds: 7 }],
        ["spec.containers.1", { name: "b", image: "b", livenessProbe: { tcpSocket: { port: 1 } } }]
      ],
      errors: []
    },
    {
      why: "requires a command",
      edits: [[`${app}.livenessProbe`, { exec: {} }]],
      errors: [`${field}.livenessProbe.exec.command: Required value`]
    },
    {
      why: "requires a port",
      edits: [
        [`${app}.livenessProbe`, { tcpSocket: {} }],
        [`${app}.startupProbe`, { grpc: { port: 65_536 } }]
      ],
      errors: [
        `${field}.livenessProbe.tcpSocket.port: Invalid value: 0: ${range}`,
        `${field}.startupProbe.grpc.port: Invalid value: 65536: ${range}`
      ]
    },
    {
      why: "validates only the first of several handlers",
      edits: [[`${app}.livenessProbe`, { exec, tcpSocket: { port: 0 }, grpc: { port: 0 } }]],
      errors: [
        `${field}.livenessProbe.tcpSocket: Forbidden: may not specify more than 1 handler type`,
        `${field}.livenessProbe.grpc: Forbidden: may not specify more than 1 handler type`
      ]
    },
    {
      why: "requires a positive grace period",
      edits: [
        [`${app}.livenessProbe`, { exec, terminationGracePeriodSeconds: 0 }],
        [`${app}.startupProbe`, { exec, terminationGracePeriodSeconds: -3 }]
      ],
      errors: [
        `${field}.livenessProbe.terminationGracePeriodSeconds: Invalid value: 0: must be greater than 0`,
        `${field}.startupProbe.terminationGracePeriodSeconds: Invalid value: -3: must be greater than 0`
      ]
    },
    {
      why: "forbids a grace period for readiness",
      edits: [[`${app}.readinessProbe`, { exec, terminationGracePeriodSeconds: 7 }]],
      errors: [
        `${field}.readinessProbe.terminationGracePeriodSeconds: Invalid value: 7: ` +
          "must not be set for readinessProbes"
      ]
    }
  ]
  it.each(rows)("$why", ({ edits, errors }) => {
    expect(podErrors(edits)).toEqual(errors)
  })
})

describe("a hook (TestValidateLifecycle)", () => {
  const rows: ReadonlyArray<ErrorRow> = [
    { why: "may run after the start", edits: [[`${app}.lifecycle`, { postStart: { exec } }]], errors: [] },
    {
      why: "may sleep before the stop",
      edits: [[`${app}.lifecycle`, { preStop: { sleep: { seconds: 5 } } }]],
      errors: []
    },
    {
      why: "forbids two handlers",
      edits: [[`${app}.lifecycle`, { preStop: { exec, sleep: { seconds: 5 } } }]],
      errors: [`${field}.lifecycle.preStop.sleep: Forbidden: may not specify more than 1 handler type`]
    },
    {
      why: "may sleep as long as the grace period, or 0 seconds",
      edits: [
        ["spec.terminationGracePeriodSeconds", 20],
        [`${app}.lifecycle`, { preStop: { sleep: { seconds: 20 } }, postStart: { sleep: { seconds: 0 } } }]
      ],
      errors: []
    },
    {
      why: "may not sleep longer than the grace period",
      edits: [
        ["spec.terminationGracePeriodSeconds", 10],
        [`${app}.lifecycle`, { preStop: { sleep: { seconds: 20 } }, postStart: { sleep: { seconds: 11 } } }]
      ],
      errors: [
        `${field}.lifecycle.postStart.sleep: Invalid value: 11: ${tooLong} (10)`,
        `${field}.lifecycle.preStop.sleep: Invalid value: 20: ${tooLong} (10)`
      ]
    },
    {
      why: "may not sleep a negative time",
      edits: [[`${app}.lifecycle`, { preStop: { sleep: { seconds: -1 } } }]],
      errors: [`${field}.lifecycle.preStop.sleep: Invalid value: -1: ${tooLong} (30)`]
    },
    {
      why: "is validated in sidecars as well",
      edits: [
        [
          "spec.initContainers",
          [
            {
              name: "beside",
              image: "b",
              restartPolicy: "Always",
              lifecycle: { preStop: { sleep: { seconds: 31 } } }
            }
          ]
        ]
      ],
      errors: [`spec.initContainers[0].lifecycle.preStop.sleep: Invalid value: 31: ${tooLong} (30)`]
    }
  ]
  it.each(rows)("$why", ({ edits, errors }) => {
    expect(podErrors(edits)).toEqual(errors)
  })
})
