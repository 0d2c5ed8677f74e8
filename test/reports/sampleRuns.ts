import { storyReport } from "../../src/reports/storyReport.ts"
import type { PageAssets } from "../../src/reports/pageAssets.ts"
import type { ReportRecordings } from "../../src/reports/reportPage.ts"
import type { StoryReport } from "../../src/reports/storyReport.ts"
import type { LedgerRow } from "../../src/scenario/ledger/ledgerRows.ts"
import type { DeploymentRun, StoryFailure, StoryRun } from "../../src/scenario/stories/storyRun.ts"
import type { Violation } from "../../src/scenario/ledger/violations.ts"

/** A rolling update of ten Pods, two at a time. */
const rollingRows = (): ReadonlyArray<LedgerRow> => {
  const row = (atMillis: number, updated: number, old: number, available: number, terminating: number) => ({
    atMillis,
    desired: 10,
    existing: updated + old,
    ready: available,
    available,
    updated,
    updatedReady: Math.max(0, available - old),
    updatedAvailable: Math.max(0, available - old),
    terminating
  })
  return [
    row(0, 0, 10, 10, 0),
    ...Array.from({ length: 5 }, (_, index) => [
      row(2000 + index * 1700, 2 + index * 2, 10 - index * 2, 9, 0),
      row(2900 + index * 1700, 2 + index * 2, 8 - index * 2, 9, 2),
      row(3100 + index * 1700, 2 + index * 2, 8 - index * 2, 10, 1)
    ]).flat(),
    row(11_000, 10, 0, 10, 0)
  ]
}

export const deploymentRun = (changes: Partial<DeploymentRun> = {}): DeploymentRun => ({
  namespace: "default",
  name: "web",
  rows: rollingRows(),
  podsMax: 12,
  availableMin: 8,
  reached: { podsMost: 13, podsMostWithTerminating: 15, availableFewest: 7 },
  verdict: "! blocked: 7 of 9 available; node-2 is lost, with 2 Pods.",
  message: 'deployment "web" successfully rolled out',
  ...changes
})

export const violation = (changes: Partial<Violation> = {}): Violation => ({
  rule: "floor",
  atMillis: 4600,
  subject: "default/web",
  who: "Deployment controller",
  what: "scaled ReplicaSet web-5d8f from 8 to 5",
  sums: "9 available, 3 to go of which 1 are not available: 9 - 2 = 7; desired 10 - unavailable 2 = 8",
  broken: "available >= desired - maxUnavailable: 7 >= 8",
  ...changes
})

export const violationFailure = (changes: Partial<Violation> = {}): StoryFailure => ({
  type: "violation",
  violation: violation(changes)
})

/** A run with a value in every field. */
export const storyRun = (changes: Partial<StoryRun> = {}): StoryRun => ({
  story: "rolling-under-fire",
  seed: 1,
  outcome: "passed",
  writes: 89,
  failures: [],
  untold: 0,
  steps: [
    {
      number: 1,
      text: "set image of deployment/web to web:2",
      beganMillis: 1500,
      endedMillis: 1500,
      outcome: "done"
    },
    {
      number: 2,
      text: "wait for deployment/web is complete",
      beganMillis: 1500,
      endedMillis: 11_000,
      outcome: "done"
    },
    {
      number: 3,
      text: "expect service/web lost = 0",
      beganMillis: 611_000,
      endedMillis: 611_000,
      outcome: "done"
    }
  ],
  faults: [
    { text: "crash 2 pods of deployment/web", beganMillis: 4000, endedMillis: 9000, met: 2, isRandom: true },
    { text: "node-2 is lost", beganMillis: 6000, endedMillis: undefined, met: undefined, isRandom: false }
  ],
  deployments: [deploymentRun()],
  services: [
    {
      namespace: "default",
      name: "web",
      rows: [
        { atMillis: 0, endpoints: 10, ready: 10, known: 10 },
        { atMillis: 3000, endpoints: 10, ready: 8, known: 10 },
        { atMillis: 4000, endpoints: 10, ready: 8, known: 8 },
        { atMillis: 11_000, endpoints: 10, ready: 10, known: 10 }
      ],
      lost: 12.5,
      requests: 61_100
    }
  ],
  events: [
    {
      atMillis: 1500,
      type: "Normal",
      reason: "ScalingReplicaSet",
      object: "Deployment/web",
      deployment: "default/web",
      message: "Scaled up replica set web-7c9d from 0 to 2"
    },
    {
      atMillis: 4000,
      type: "Warning",
      reason: "BackOff",
      object: "Pod/web-7c9d-x2x4v",
      deployment: "default/web",
      message: "Back-off restarting failed container web in pod web-7c9d-x2x4v"
    }
  ],
  endMillis: 611_000,
  digest: "8a1f",
  ...changes
})

export const report = (runs: ReadonlyArray<StoryRun>, changes: Partial<StoryReport> = {}): StoryReport => ({
  ...storyReport(
    {
      story: runs[0]?.story ?? "",
      description: "Ten Pods are rolled over while some of them crash.",
      file: "scripts/scenarios/rolling-under-fire.yaml",
      version: "0.1.0"
    },
    runs,
    undefined
  ),
  ...changes
})

/** The characters that XML does not allow. */
export const controlCharacters = (text: string): ReadonlyArray<string> =>
  Array.from(text).filter((sign) => sign < " " && !"\t\n\r".includes(sign))

/** Short page assets. */
export const samplePageAssets: PageAssets = {
  script: "document.title",
  style: ":root { --ink: #000 }",
  charts: [{ name: "pod", svg: "<svg><style>g { fill: red }</style><g/></svg>\n" }]
}

export const nothingRecorded: ReportRecordings = { recordings: [], leftOutTexts: [] }

/** The report section of a page. */
export const reportSection = (page: string): string =>
  /<section id="report">[^]*<\/section>/.exec(page)?.[0] ?? ""
