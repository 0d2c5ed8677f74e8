import { useEffect } from "preact/hooks"
import { useSignal } from "./useSignal.ts"
import { usePageState } from "./pageState.ts"
import type { Signal } from "./signal.ts"

/** Only a page inside a report has this element. */
const reportElement = document.getElementById("report")
export const hasReport = reportElement !== null

interface ReportProps {
  readonly reportOpen: Signal<boolean>
}

export const ReportTabs = ({ reportOpen }: ReportProps) => {
  const { selected, moment } = usePageState()
  const isReportOpen = useSignal(reportOpen)
  const selectedAddress = useSignal(selected)
  useEffect(() => {
    if (selectedAddress !== undefined || moment.get() !== undefined) reportOpen.set(false)
  }, [selectedAddress, moment, reportOpen])
  useEffect(() => {
    if (reportElement !== null) document.body.dataset["tab"] = isReportOpen ? "report" : "watch"
  }, [isReportOpen])
  if (reportElement === null) return null
  const tabButton = (text: string, { opensReport }: { readonly opensReport: boolean }) => (
    <button
      type="button"
      role="tab"
      aria-selected={isReportOpen === opensReport}
      onClick={() => reportOpen.set(opensReport)}
    >
      {text}
    </button>
  )
  return (
    <div class="tabs" role="tablist">
      {tabButton("The report", { opensReport: true })}
      {tabButton("Watch it", { opensReport: false })}
    </div>
  )
}
