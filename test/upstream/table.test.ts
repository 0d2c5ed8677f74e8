import { readFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { describe, expect, it } from "vitest"

/** Checks the table of upstream's tests in `test/README.md`. */

const folder = resolve(import.meta.dirname, "..")
const textOf = (path: string): string => readFileSync(join(folder, path), "utf8")

interface Row {
  readonly upstream: string
  readonly ours: ReadonlyArray<{ readonly file: string; readonly title: string }>
  readonly reason: string
}

const rowOf = (line: string): Row => {
  const [, upstream = "", ours = "", reason = ""] = line.split("|").map((cell) => cell.trim())
  return {
    upstream: upstream.replaceAll("`", ""),
    ours: [...ours.matchAll(/`([^`]+)` "([^"]+)"/g)].map(([, file = "", title = ""]) => ({ file, title })),
    reason
  }
}

/** The rows of each table under its heading. */
const tablesOf = (markdown: string): ReadonlyMap<string, ReadonlyArray<Row>> => {
  const [, section = ""] = markdown.split("## Upstream's own tests\n")
  const parts = section.split(/^### /m).slice(1)
  return new Map(
    parts.map((part) => {
      const [heading = "", ...lines] = part.split("\n")
      const rows = lines.filter((line) => line.startsWith("| `")).map(rowOf)
      return [heading, rows]
    })
  )
}

/**
 * A title is quoted in the test file, alone or with upstream's name in brackets; in a kubectl story it is a command
 * line.
 */
const hasTitle = (text: string, title: string): boolean =>
  text.split("\n").includes(`$ ${title}`) ||
  ['"', "`"].some((quote) => [quote, " ("].some((end) => text.includes(`${quote}${title}${end}`)))

/** Upstream's tests by subject. */
const upstreamTests: Readonly<Record<string, ReadonlyArray<string>>> = {
  // The list begins.
  "Deployments: sync, claims, changes": [
    "TestSyncDeploymentCreatesReplicaSet",
    "TestSyncDeploymentDontDoAnythingDuringDeletion",
    "TestSyncDeploymentDeletionRace",
    "TestDontSyncDeploymentsWithEmptyPodSelector",
    "TestReentrantRollback",
    "TestPodDeletionEnqueuesRecreateDeployment",
    "TestPodDeletionDoesntEnqueueRecreateDeployment",
    "TestPodDeletionPartialReplicaSetOwnershipEnqueueRecreateDeployment",
    "TestPodDeletionPartialReplicaSetOwnershipDoesntEnqueueRecreateDeployment",
    "TestGetReplicaSetsForDeployment",
    "TestGetReplicaSetsForDeploymentAdoptRelease",
    "TestGetPodMapForReplicaSets",
    "TestAddReplicaSet",
    "TestAddReplicaSetOrphan",
    "TestUpdateReplicaSet",
    "TestUpdateReplicaSetOrphanWithNewLabels",
    "TestUpdateReplicaSetChangeControllerRef",
    "TestUpdateReplicaSetRelease",
    "TestDeleteReplicaSet",
    "TestDeleteReplicaSetOrphan"
  ],
  "Deployments: progress": ["TestRequeueStuckDeployment", "TestSyncRolloutStatus"],
  "Deployments: Recreate": ["TestScaleDownOldReplicaSets", "TestOldPodsRunning"],
  "Deployments: RollingUpdate": [
    "TestDeploymentController_reconcileNewReplicaSet",
    "TestDeploymentController_reconcileOldReplicaSets",
    "TestDeploymentController_cleanupUnhealthyReplicas",
    "TestDeploymentController_scaleDownOldReplicaSetsForRollingUpdate"
  ],
  "Deployments: scaling, clean-up, names": [
    "TestScale",
    "TestDeploymentController_cleanupDeployment",
    "TestDeploymentController_cleanupDeploymentOrder",
    "TestDeploymentController_generateReplicaSetName",
    "TestGenerateReplicaSetName"
  ],
  "Deployments: arithmetic": [
    "TestEqualIgnoreHash",
    "TestFindNewReplicaSet",
    "TestFindOldReplicaSets",
    "TestGetNewRS",
    "TestGetOldRSs",
    "TestGetReplicaCountForReplicaSets",
    "TestResolveFenceposts",
    "TestNewRSNewReplicas",
    "TestGetCondition",
    "TestSetCondition",
    "TestRemoveCondition",
    "TestDeploymentComplete",
    "TestDeploymentProgressing",
    "TestDeploymentTimedOut",
    "TestMaxUnavailable",
    "TestAnnotationUtils",
    "TestReplicasAnnotationsNeedUpdate",
    "TestGetDeploymentsForReplicaSet",
    "TestGetNonNegativeInt32FromAnnotation",
    "TestMinAvailable",
    "TestGetReplicaSetFraction",
    "TestPodTemplateSpecHash"
  ],
  ReplicaSets: [
    "TestSyncReplicaSetDoesNothing",
    "TestDeleteFinalStateUnknown",
    "TestSyncReplicaSetCreateFailures",
    "TestSyncReplicaSetDormancy",
    "TestGetReplicaSetsWithSameController",
    "TestPodControllerLookup",
    "TestRelatedPodsLookup",
    "TestWatchControllers",
    "TestWatchPods",
    "TestUpdatePods",
    "TestControllerUpdateRequeue",
    "TestControllerUpdateStatusWithFailure",
    "TestControllerBurstReplicas",
    "TestRSSyncExpectations",
    "TestDeleteControllerAndExpectations",
    "TestExpectationsOnRecreate",
    "TestOverlappingRSs",
    "TestDeletionTimestamp",
    "TestDoNotPatchPodWithOtherControlRef",
    "TestPatchPodFails",
    "TestDoNotAdoptOrCreateIfBeingDeleted",
    "TestDoNotAdoptOrCreateIfBeingDeletedRace",
    "TestSlowStartBatch",
    "TestGetPodsToDelete",
    "TestGetPodKeys",
    "TestReplicaSetAvailabilityCheck",
    "TestCalculateStatus",
    "TestCalculateStatusConditions"
  ],
  "What controllers share": [
    "TestControllerExpectations",
    "TestUIDExpectations",
    "TestCreatePods*",
    "TestDeletePodsAllowsMissing",
    "TestActivePodFiltering",
    "TestSortingActivePods",
    "TestSortingActivePodsWithRanks",
    "TestActiveReplicaSetsFiltering",
    "TestComputeHash",
    "TestNextPodAvailabilityCheck",
    "TestFindMinNextPodAvailability",
    "TestFilterPodsByOwner",
    "TestClaimPods",
    "TestGeneratePatchBytesForDelete"
  ],
  "Defaults, validation, strategies, storage": [
    "TestSetDefaultDeployment",
    "TestDefaultDeploymentAvailability",
    "TestSetDefaultReplicaSetReplicas",
    "TestValidateDeployment",
    "TestValidateDeploymentUpdate",
    "TestValidateDeploymentStatus",
    "TestValidateDeploymentStatusUpdate",
    "TestValidateReplicaSet",
    "TestValidateReplicaSetUpdate",
    "TestValidateReplicaSetStatus",
    "TestValidateReplicaSetStatusUpdate",
    "TestStatusUpdates",
    "TestSelectorImmutability",
    "TestDeploymentStrategyValidate",
    "TestDeploymentStrategyValidateUpdate",
    "TestReplicaSetStrategy",
    "TestReplicaSetStatusStrategy",
    "TestStatusUpdate",
    "TestGenerationNumber",
    "TestShortNames",
    "TestCategories",
    "TestScaleGet",
    "TestScaleUpdate",
    "TestScalePatchErrors",
    "TestScalePatchConflicts"
  ],
  Printers: [
    "TestPrintDeployment",
    "TestPrintReplicaSet",
    "TestPrintPod*",
    "TestPrintEvent*",
    "TestPrintNode*",
    "TestPrintNamespace"
  ],
  kubectl: [
    "TestDeploymentStatusViewerStatus",
    "TestGetDeploymentPatch",
    "TestViewDeploymentHistory",
    "TestViewHistory",
    "TestDefaultObjectPauser",
    "TestDefaultObjectResumer",
    "TestLogsForObject",
    "TestDeploymentScale*"
  ],
  "Integration: deployments": [
    "TestNewDeployment",
    "TestDeploymentRollingUpdate",
    "TestDeploymentSelectorImmutability",
    "TestPausedDeployment",
    "TestScalePausedDeployment",
    "TestDeploymentHashCollision",
    "TestFailedDeployment",
    "TestOverlappingDeployments",
    "TestScaledRolloutDeployment",
    "TestSpecReplicasChange",
    "TestDeploymentAvailableCondition",
    "TestGeneralReplicaSetAdoption",
    "TestDeploymentScaleSubresource",
    "TestReplicaSetOrphaningAndAdoptionWhenLabelsChange",
    "TestTerminatingReplicasDeploymentStatus",
    "TestRecreateDeploymentForPodReplacement",
    "TestRollingUpdateAndProportionalScalingForDeploymentPodReplacement"
  ],
  "Integration: replica sets": [
    "TestAdoption",
    "TestRSSelectorImmutability",
    "TestSpecReplicasChange",
    "TestDeletingAndFailedPods",
    "TestPodDeletionCost",
    "TestOverlappingRSs",
    "TestPodOrphaningAndAdoptionWhenLabelsChange",
    "TestGeneralPodAdoption",
    "TestReadyAndAvailableReplicas",
    "TestRSScaleSubresource",
    "TestExtraPodsAdoptionAndDeletion",
    "TestFullyLabeledReplicas",
    "TestReplicaSetsAppsV1DefaultGCPolicy",
    "TestTerminatingReplicas"
  ],
  "Integration: garbage collector": [
    "TestCascadingDeletion",
    "TestCreateWithNonExistentOwner",
    "TestOrphaning",
    "TestSolidOwnerDoesNotBlockWaitingOwner",
    "TestNonBlockingOwnerRefDoesNotBlock",
    "TestBlockingOwnerRefDoesBlock",
    "TestDoubleDeletionWithFinalizer",
    "TestMixedRelationships",
    "TestCrossNamespaceReferences*"
  ],
  "End to end": [
    "deployment reaping should cascade to its replica sets and pods",
    "RollingUpdateDeployment should delete old pods and create new ones",
    "RecreateDeployment should delete old pods and create new ones",
    "deployment should delete old replica sets",
    "deployment should support rollover",
    "iterative rollouts should eventually progress",
    "test Deployment ReplicaSet orphaning and adoption regarding controllerRef",
    "Deployment should have a working scale subresource",
    "deployment should support proportional scaling",
    "should not disrupt a cloud load-balancer's connectivity during rollout",
    "should run the lifecycle of a Deployment",
    "Deployment should validate Deployment Status endpoints",
    "should serve a basic image on each replica with a public image",
    "should serve a basic image on each replica with a private image",
    "should surface a failure condition on a common issue like exceeded quota",
    "should adopt matching pods on creation and release no longer matching pods",
    "Replicaset should have a working scale subresource",
    "Replace and Patch tests",
    "should list and delete a collection of ReplicaSets",
    "should validate Replicaset Status endpoints"
  ]
}

const tables = tablesOf(textOf("README.md"))

describe("the table of upstream's tests", () => {
  it("has a table for each subject and no other", () => {
    expect([...tables.keys()]).toEqual(Object.keys(upstreamTests))
  })

  it.each(Object.entries(upstreamTests))("names every test of its subject once: %s", (subject, names) => {
    const rows = tables.get(subject) ?? []
    expect(rows.map(({ upstream }) => upstream).sort()).toEqual([...names].sort())
  })

  it("names for each a test of ours or a reason", () => {
    const silent = [...tables.values()]
      .flat()
      .filter(({ ours, reason }) => ours.length === 0 && reason.length < 10)
    expect(silent).toEqual([])
  })

  it("names only existing tests", () => {
    const missing = [...tables.values()]
      .flat()
      .flatMap(({ ours }) => ours)
      .filter(({ file, title }) => !hasTitle(textOf(file), title))
    expect(missing).toEqual([])
  })
})

describe("a table", () => {
  it("is parsed into heading, upstream name, our titles and reason", () => {
    const markdown = [
      "# Tests",
      "## Upstream's own tests",
      "### A subject",
      "| upstream | ours | why it differs |",
      "|---|---|---|",
      '| `TestA` | `a.test.ts` "one thing"<br>`b.test.ts` "another" |  |',
      "| `TestB` |  | not supported |"
    ].join("\n")
    expect([...tablesOf(markdown)]).toEqual([
      [
        "A subject",
        [
          {
            upstream: "TestA",
            ours: [
              { file: "a.test.ts", title: "one thing" },
              { file: "b.test.ts", title: "another" }
            ],
            reason: ""
          },
          { upstream: "TestB", ours: [], reason: "not supported" }
        ]
      ]
    ])
  })

  it.each([
    { text: 'it("one thing", () => {', found: true },
    { text: 'it("one thing (TestA)", () => {', found: true },
    { text: "it(`one thing (seed ${seed})`, () => {", found: true },
    { text: 'it("one thing more", () => {', found: false },
    { text: 'it("not one thing", () => {', found: false },
    { text: "done\n\n$ one thing\n", found: true },
    { text: "$ one thing more\n", found: false }
  ])("matches whole titles only: $found in $text", ({ text, found }) => {
    expect(hasTitle(text, "one thing")).toBe(found)
  })
})
