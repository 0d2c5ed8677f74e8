import { expect, it } from "vitest"
import { existingPodsWarnings } from "../../../../src/kubernetes/admission/podSecurity/existingPodsWarnings.ts"
import type { Pod } from "../../../../src/kubernetes/meta/objects.ts"

const namespace = (labels: Record<string, string>) => ({
  apiVersion: "v1",
  kind: "Namespace",
  metadata: { name: "big", labels }
})

const pod = (index: number, controller: string): Pod =>
  ({
    metadata: {
      name: `${controller}-${String(index).padStart(4, "0")}`,
      ownerReferences: [{ uid: controller, controller: true }]
    },
    spec: { hostPID: true, containers: [{ name: "app" }] }
  }) as unknown as Pod

it("checks at most 3000 Pods of a Namespace, and one of each controller before the others", () => {
  const many = Array.from({ length: 3000 }, (_, index) => pod(index, "web"))
  const last = { ...pod(0, "db"), spec: { hostNetwork: true, hostPID: true, containers: [] } }
  const warnings = existingPodsWarnings(
    namespace({}),
    namespace({ "pod-security.kubernetes.io/enforce": "baseline" }),
    () => [
      ...many,
      { ...last, spec: { ...last.spec, volumes: [{ name: "etc", hostPath: { path: "/etc" } }] } }
    ]
  )
  expect(warnings).toEqual([
    "new PodSecurity enforce level only checked against the first 3000 of 3001 existing pods",
    'existing pods in namespace "big" violate the new PodSecurity enforce level "baseline:latest"',
    "db-0000: host namespaces, hostPath volumes",
    "web-0000 (and 2998 other pods): host namespaces"
  ])
})
