import { expect, it } from "vitest"
import { autoscalerWarnings } from "../../../src/plan/warnings/autoscalerWarnings.ts"
import { plan } from "../../../src/plan/plan.ts"
import { withLastAppliedAnnotation } from "../../../src/manifests/lastApplied.ts"
import { deploymentManifest } from "../../cluster/testCluster.ts"
import type { Draft, Manifest } from "../../../src/kubernetes/meta/objects.ts"

const autoscaler = (target: object, version = "v2", name = "sizes"): Manifest => ({
  apiVersion: `autoscaling/${version}`,
  kind: "HorizontalPodAutoscaler",
  metadata: { name, namespace: "shop" },
  spec: { minReplicas: 2, maxReplicas: 10, scaleTargetRef: { apiVersion: "apps/v1", ...target } }
})
const sizes = autoscaler({ kind: "Deployment", name: "web" })

const web = (replicas?: number): Draft & { readonly spec: object } => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web", namespace: "shop" },
  spec: replicas === undefined ? {} : { replicas }
})
/** A live Deployment and the replicas applied last; `never` when it was not applied. */
const running = (replicas: number, applied: number | undefined | "never"): Draft => ({
  ...web(replicas),
  metadata:
    applied === "never"
      ? web().metadata
      : { ...web().metadata, ...(withLastAppliedAnnotation({ ...web(applied) })["metadata"] as object) }
})

const edit =
  "First take it out of what was applied last (kubectl apply edit-last-applied deployment/web -n shop)"

it.each<{
  readonly why: string
  readonly before?: ReadonlyArray<Manifest>
  readonly next: ReadonlyArray<Manifest>
  readonly isLive?: boolean
  readonly warning: string | undefined
}>([
  {
    why: "a new Deployment with spec.replicas",
    next: [web(3), { ...web(5), kind: "StatefulSet" }, sizes],
    warning:
      "The next kubectl apply sets whatever size it then has back to spec.replicas: 3. Leave it out of the manifest"
  },
  {
    why: "a new Deployment without spec.replicas",
    next: [web(), sizes],
    warning:
      "No manifest says spec.replicas, and this is the plan of 1, the default. To plan for as many as run, say so in " +
      "a copy of -f"
  },
  {
    why: "replicas: 0, which switches it off",
    before: [web(3), sizes],
    next: [web(0)],
    warning: "At spec.replicas: 0 it does nothing, and no Pod is left. Leave it out of the manifest"
  },
  {
    why: "spec.replicas in both manifests",
    before: [web(3), sizes],
    next: [web(3), sizes],
    warning: `kubectl apply sets whatever size it then has back to spec.replicas: 3. ${edit}, then out of the manifest`
  },
  {
    why: "spec.replicas in no manifest",
    before: [web(), autoscaler({ kind: "Deployment", name: "web" }, "v1")],
    next: [web()],
    warning:
      "No manifest says spec.replicas, and this is the plan of 1, the default. To plan for as many as run, say so in " +
      "copies of --from and -f"
  },
  {
    why: "a live size that differs from the manifest's",
    before: [running(7, 3), sizes],
    next: [web(3)],
    isLive: true,
    warning: `kubectl apply sets the current 7 back to spec.replicas: 3. ${edit}, then out of the manifest`
  },
  {
    why: "a live size that equals the manifest's",
    before: [running(3, 3), sizes],
    next: [web(3)],
    isLive: true,
    warning: `kubectl apply sets whatever size it then has back to spec.replicas: 3. ${edit}, then out of the manifest`
  },
  {
    why: "spec.replicas in the manifest for the first time",
    before: [running(7, undefined), sizes],
    next: [web(4)],
    isLive: true,
    warning: "kubectl apply sets the current 7 back to spec.replicas: 4. Leave it out of the manifest"
  },
  {
    why: "spec.replicas no longer in the manifest",
    before: [running(7, 3), sizes],
    next: [web()],
    isLive: true,
    warning:
      "The manifest has no spec.replicas, and the one that was applied last had 3: kubectl apply takes the field away, " +
      `and the Deployment goes from 7 to 1, the default. ${edit}`
  },
  {
    why: "a live size that the manifest leaves alone",
    before: [running(7, undefined), sizes],
    next: [web()],
    isLive: true,
    warning:
      "No manifest says spec.replicas: kubectl apply leaves the 7 that there are, and this is the plan of those"
  },
  {
    why: "a live size that was never applied",
    before: [running(7, "never"), sizes],
    next: [web()],
    isLive: true,
    warning:
      "No manifest says spec.replicas: kubectl apply leaves the 7 that there are, and this is the plan of those"
  },
  { why: "no warning without an autoscaler", next: [web(3)], warning: undefined },
  {
    why: "spec.replicas only in the former manifest, both from files",
    before: [web(3), sizes],
    next: [web()],
    warning:
      "The manifest has no spec.replicas, and the one that was applied last had 3: kubectl apply takes the field away, " +
      `and the Deployment goes to 1, the default. ${edit}`
  },
  {
    why: "one warning, by the last autoscaler of the name",
    before: [web(3), autoscaler({ kind: "Deployment", name: "web" }), { ...sizes, spec: {} }],
    next: [web(0), sizes],
    warning: "At spec.replicas: 0 it does nothing, and no Pod is left. Leave it out of the manifest"
  },
  {
    why: "no warning for another target",
    next: [
      web(3),
      { ...web(3), kind: "StatefulSet" },
      autoscaler({ kind: "Deployment", name: "other" }, "v2", "one"),
      autoscaler({ kind: "StatefulSet", name: "web" }, "v2", "two"),
      autoscaler({ kind: "Deployment", name: "web", apiVersion: "example.com/v1" }, "v2", "three"),
      { ...sizes, metadata: { name: "sizes", namespace: "market" } }
    ],
    warning: undefined
  }
])("a plan warns of an autoscaler: $why", ({ before = [], next, isLive = false, warning }) => {
  const sentence =
    "HorizontalPodAutoscaler/sizes gives Deployment/shop/web 2 to 10 replicas: the rollout may " +
    "have any of these sizes. "
  expect(autoscalerWarnings({ before, next, isLive })).toEqual(
    warning === undefined ? [] : [sentence + warning]
  )
})

it("the size in the warning is the size that the plan plays", async () => {
  const scaled = { ...autoscaler({ kind: "Deployment", name: "web" }), metadata: { name: "web" } }
  const { spec, ...rest } = deploymentManifest({ replicas: 5 })
  const { replicas: _replicas, ...sizeless } = spec as { readonly replicas: number }
  const from = [{ ...rest, spec }, scaled]
  const warning = async (next: Manifest) => {
    const { warnings, rollouts } = await plan({ from, next: [next], seeds: 1 })
    return { desired: rollouts.map(({ desired }) => desired), warning: warnings.join() }
  }
  expect(await warning(deploymentManifest({ replicas: 4, version: "v2" }))).toEqual({
    desired: [4],
    warning: expect.stringMatching(/ 2 to 10 replicas: .* back to spec\.replicas: 4\./)
  })
  expect(await warning({ ...rest, spec: sizeless })).toEqual({
    desired: [1],
    warning: expect.stringMatching(/ goes to 1, the default\. .* edit-last-applied deployment\/web\)$/)
  })
})
