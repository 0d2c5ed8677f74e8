import { describe, expect, it } from "vitest"
import { aNode, aRunningState, aTerminatedState, aTime, aWaitingState } from "../../builders.ts"
import { container, event, explained, newPod, oldPod, probed, progressing } from "./rolloutObjects.ts"
import type { RolloutObjects } from "./rolloutObjects.ts"

const unreachableTaint = { key: "node.kubernetes.io/unreachable", effect: "NoExecute", timeAdded: aTime(50) }
const unreachableTolerations = [
  { key: unreachableTaint.key, operator: "Exists", effect: "NoExecute", tolerationSeconds: 300 }
] as const
const lostNode = {
  ...aNode({ name: "node-2", spec: { taints: [unreachableTaint] } }),
  status: {
    conditions: [
      { type: "Ready", status: "Unknown", reason: "NodeStatusUnknown", lastTransitionTime: aTime(50) }
    ]
  }
}

describe("the explanation of a rollout", () => {
  it.each<{ readonly why: string; readonly objects: RolloutObjects; readonly text: ReadonlyArray<string> }>([
    {
      why: "maxSurge and maxUnavailable allow no further step",
      objects: { old: { replicas: 4 }, next: { replicas: 3, available: 0 } },
      text: [
        "It waits for 2 of 5 new Pods to be created.",
        "It may not create more new Pods: desired 5 + surge 2 = 7, and 7 are asked for.",
        "It may not remove more old Pods: desired 5, unavailable at most 1, so 4 must stay available, and 4 are.",
        "The deadline (progressDeadlineSeconds 600) passes in 9m unless it gets further: nothing is rolled back by " +
          "itself; `kubectl rollout undo deployment/web -n shop` goes back to revision 1."
      ]
    },
    {
      why: "maxSurge and maxUnavailable both round to zero",
      objects: {
        deployment: { surge: "0%", unavailable: "10%" },
        old: { replicas: 4 },
        next: { replicas: 1, available: 0 }
      },
      text: [
        "Surge 0% and unavailable 10% both amount to 0 Pods; Kubernetes then allows 1 unavailable Pod.",
        "desired 5, unavailable at most 1 (10%), so 4 must stay available, and 4 are."
      ]
    },
    {
      why: "an image cannot be pulled",
      objects: {
        next: { available: 4 },
        newPods: [
          newPod({
            status: container({
              state: aWaitingState("ImagePullBackOff", 'Back-off pulling image "web:broken"')
            })
          })
        ],
        events: [event(newPod(), "Failed", 'Failed to pull image "web:broken": manifest unknown', 2, 47, 36)]
      },
      text: [
        "It waits for 1 of 5 new Pods to become available.",
        "1 new Pod cannot pull web:broken: manifest unknown (ImagePullBackOff, 2 tries, next in 7s)."
      ]
    },
    {
      why: "events record only some of the failed pulls",
      objects: {
        next: { available: 4 },
        newPods: [
          newPod({
            status: container({ state: aWaitingState("ErrImagePull", "manifest unknown") })
          })
        ],
        events: [event(newPod(), "Failed", 'Failed to pull image "web:broken": manifest unknown', 2, 59)]
      },
      text: ["1 new Pod cannot pull web:broken: manifest unknown (ErrImagePull, at least 2 tries)."]
    },
    {
      why: "one of several Pods has tried to pull more often",
      objects: {
        next: { available: 3 },
        newPods: ["a", "b"].map((name) =>
          newPod({
            name,
            status: container({ state: aWaitingState("ErrImagePull", "manifest unknown") })
          })
        ),
        events: [
          event(
            newPod({ name: "a" }),
            "Failed",
            'Failed to pull image "web:broken": manifest unknown',
            1,
            57,
            57
          ),
          event(
            newPod({ name: "b" }),
            "Failed",
            'Failed to pull image "web:broken": manifest unknown',
            2,
            55,
            44
          )
        ]
      },
      text: ["2 new Pods cannot pull web:broken: manifest unknown (ErrImagePull, 2 tries, next in 15s)."]
    },
    {
      why: "the node of new Pods is lost",
      objects: {
        next: { available: 3 },
        newPods: ["a", "b"].map((name) =>
          newPod({ name, node: "node-2", spec: { tolerations: [...unreachableTolerations] } })
        ),
        nodes: [lostNode]
      },
      text: [
        "2 new Pods are on node-2, which has not been heard of: it was given up at 00:00:50 (NodeStatusUnknown), " +
          "with 4m50s left until eviction."
      ]
    },
    {
      why: "an old Pod cannot terminate on a lost node",
      objects: {
        next: { available: 4 },
        oldPods: [oldPod({ node: "node-2", terminating: true })],
        nodes: [lostNode]
      },
      text: [
        "1 old Pod is terminating on node-2, which has not been heard of: it was given up at 00:00:50 " +
          "(NodeStatusUnknown); it goes when that is heard of again or is deleted."
      ]
    },
    {
      why: "the events about a failed pull have expired",
      objects: {
        newPods: [
          newPod({
            status: container({
              state: {
                waiting: {
                  reason: "ImagePullBackOff",
                  message: 'Back-off pulling image "web:broken": ErrImagePull: no such host'
                }
              }
            })
          })
        ],
        next: { available: 4 }
      },
      text: ["1 new Pod cannot pull web:broken: no such host (ImagePullBackOff)."]
    },
    {
      why: "a container crashes",
      objects: {
        next: { available: 3 },
        newPods: ["a", "b"].map((name) =>
          newPod({
            name,
            status: container({
              restartCount: 3,
              state: aWaitingState("CrashLoopBackOff", "back-off 40s restarting failed container"),
              lastState: aTerminatedState(7, { reason: "Error", to: 31 })
            })
          })
        )
      },
      text: [
        '2 new Pods see container "app" end again and again, the last time with exit code 7 (Error): ' +
          "it has been started again 3 times, and is once more in 11s (CrashLoopBackOff)."
      ]
    },
    {
      why: "a probe fails",
      objects: {
        next: { available: 4 },
        newPods: [newPod({ spec: probed, status: container({ state: aRunningState(), started: true }) })],
        events: [event(newPod(), "Unhealthy", "Readiness probe failed: HTTP 503", 9, 50)]
      },
      text: [
        '1 new Pod runs and is not ready: the readiness probe of container "app" fails (HTTP 503), at least 9 times so far.'
      ]
    },
    {
      why: "a probe has not passed yet",
      objects: {
        next: { available: 4 },
        newPods: [newPod({ spec: probed, status: container({ state: aRunningState(), started: true }) })]
      },
      text: ['1 new Pod runs and is not ready: the readiness probe of container "app" has not passed yet.']
    },
    {
      why: "a container has crashed before its probe passed",
      objects: {
        next: { available: 4 },
        newPods: [
          newPod({
            spec: probed,
            status: container({
              restartCount: 2,
              state: aRunningState(),
              lastState: aTerminatedState(137, { reason: "OOMKilled" })
            })
          })
        ]
      },
      text: [
        'probe of container "app" has not passed yet; it has been started again 2 times, the last time after exit ' +
          "code 137 (OOMKilled)."
      ]
    },
    {
      why: "Pods are lost after the rollout was complete",
      objects: {
        deployment: { conditions: [progressing("NewReplicaSetAvailable", 7)] },
        next: { available: 2 }
      },
      text: [
        "The deadline (progressDeadlineSeconds 600) does not run: a rollout that was complete once is not timed again " +
          "(NewReplicaSetAvailable)."
      ]
    },
    {
      why: "no node has room",
      objects: {
        next: { available: 4 },
        newPods: [
          newPod({
            node: undefined,
            phase: "Pending",
            status: {
              conditions: [
                {
                  type: "PodScheduled",
                  status: "False",
                  reason: "Unschedulable",
                  message: "0/3 nodes are available: 3 Insufficient cpu."
                }
              ]
            }
          })
        ]
      },
      text: ["1 new Pod finds no node: 0/3 nodes are available: 3 Insufficient cpu (Unschedulable)."]
    },
    {
      why: "a ready Pod has not been ready for minReadySeconds",
      objects: {
        deployment: { minReadySeconds: 30 },
        next: { available: 4 },
        newPods: [newPod({ ready: 53 })]
      },
      text: ["1 new Pod is ready, and counts as available after 30s of that (minReadySeconds), in 23s."]
    },
    {
      why: "a container is being created",
      objects: {
        next: { available: 4 },
        newPods: [newPod({ created: 48, status: container({ state: aWaitingState("ContainerCreating") }) })]
      },
      text: ["1 new Pod is being started (ContainerCreating), for 12s."]
    },
    {
      why: "a quota is used up",
      objects: {
        old: { replicas: 4 },
        next: {
          replicas: 3,
          pods: 1,
          conditions: [
            {
              type: "ReplicaFailure",
              status: "True",
              reason: "FailedCreate",
              message: 'pods "web-v3-b" is forbidden: exceeded quota: compute, used: pods=5, limited: pods=5'
            }
          ]
        }
      },
      text: [
        'Pods of ReplicaSet web-v3 cannot be created: pods "web-v3-b" is forbidden: exceeded quota: compute, ' +
          "used: pods=5, limited: pods=5 (FailedCreate)."
      ]
    },
    {
      why: "Recreate waits for old Pods to end",
      objects: {
        deployment: { strategy: "Recreate" },
        old: { replicas: 0, pods: 0 },
        next: null,
        oldPods: [oldPod({ terminating: true }), oldPod({ name: "web-v1-b" })]
      },
      text: [
        "It waits for the ReplicaSet of its template, which is not there yet.",
        "Recreate begins no new Pod before every old one has ended: 2 have not (1 terminating)."
      ]
    },
    {
      why: "the deadline is missed",
      objects: {
        deployment: { conditions: [progressing("ProgressDeadlineExceeded", 42)] },
        next: { available: 4 }
      },
      text: [
        "The deadline (progressDeadlineSeconds 600) was missed 18s ago: nothing is rolled back by itself."
      ]
    },
    ...[[oldPod({ terminating: true })], []].map((oldPods) => ({
      why: `old Pods terminate uncounted, and ${oldPods.length} are left`,
      objects: {
        deployment: { strategy: "Recreate", conditions: [progressing("NewReplicaSetAvailable", 0)] } as const,
        old: { replicas: 0, pods: 0 },
        oldPods,
        next: null
      },
      text: ["Terminating Pods are not counted", "it is looked at again in 9m1s at the latest."]
    })),
    {
      why: "there is no deadline",
      objects: { deployment: { deadlineSeconds: 2147483647 }, next: { available: 4 } },
      text: ["It has no deadline: it waits for as long as it takes."]
    },
    {
      why: "the Deployment is paused",
      objects: { deployment: { paused: true }, old: { replicas: 5 }, next: null },
      text: ["Nothing of a new template is rolled out until `kubectl rollout resume deployment/web -n shop`."]
    },
    {
      why: "the controller has not observed the latest generation",
      objects: { deployment: { generation: 4, status: { observedGeneration: 3 } } },
      text: [
        'The Deployment controller has not seen the latest change of Deployment "web" yet: generation 4, and it ' +
          "has seen 3."
      ]
    },
    {
      why: "the namespace is being deleted",
      objects: {
        next: { available: 4 },
        namespace: {
          apiVersion: "v1",
          kind: "Namespace",
          metadata: {
            name: "shop",
            uid: "n",
            resourceVersion: "1",
            creationTimestamp: aTime(0),
            deletionTimestamp: aTime(9)
          },
          spec: {},
          status: {}
        }
      },
      text: ['Namespace "shop" is being deleted: nothing can be created in it.']
    },
    {
      why: "the Deployment is being deleted",
      objects: {
        deployment: { terminating: true, finalizers: ["foregroundDeletion"] },
        newPods: [newPod({ terminating: true })]
      },
      text: [
        'Deployment "web" is being deleted: it waits for finalizer foregroundDeletion.',
        "1 of its Pods is there still."
      ]
    }
  ])("names the reason where $why", ({ objects, text }) => {
    const explanation = explained(objects).sentences.join("\n")
    for (const it of text) expect(explanation).toContain(it)
  })

  it("has no reason to wait once the rollout is complete, and mentions that the Deployment is paused", () => {
    expect(explained({})).toMatchObject({
      state: "complete",
      sentences: ['Deployment "web" is rolled out: 5 of 5 Pods are of revision 2, 5 are available.'],
      numbers: {
        desired: 5,
        updated: 5,
        available: 5,
        old: 0,
        surgeMax: 2,
        availableFloor: 4,
        podsCeiling: 7
      }
    })
    expect(explained({ deployment: { paused: true } }).sentences[1]).toContain("It is paused all the same")
  })

  it("ends each sentence with exactly one full stop", () => {
    const { sentences } = explained({ old: { replicas: 4 }, next: { replicas: 3, available: 0 } })
    for (const it of sentences) expect(it).toMatch(/[^.]\.$/)
  })
})
