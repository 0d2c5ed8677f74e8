import { useEffect, useState } from "preact/hooks"
import { useKept } from "./useKept.ts"
import { useWorld } from "./world.ts"

const report = document.getElementById("report")

/** In a page that a story or a plan has written: what it says of itself, or its recordings. */
export const ReportTabs = () => {
  const { place, moment } = useWorld()
  const [isReport, choose] = useState(place.get() === undefined && moment.get() === undefined)
  const looked = useKept(place)
  useEffect(() => {
    if (looked !== undefined) choose(false)
  }, [looked])
  useEffect(() => {
    if (report !== null) document.body.dataset["tab"] = isReport ? "report" : "watch"
  }, [isReport])
  if (report === null) return null
  const tab = (words: string, isOfReport: boolean) => (
    <button
      type="button"
      role="tab"
      aria-selected={isReport === isOfReport}
      onClick={() => choose(isOfReport)}
    >
      {words}
    </button>
  )
  return (
    <div class="tabs" role="tablist">
      {tab("The report", true)}
      {tab("Watch it", false)}
    </div>
  )
}
