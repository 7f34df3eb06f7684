# Makes wegman(3) and a page for each group of functions from wegman.h: awk -v out=FOLDER -v version=0.1.0 -f man.awk wegman.h

function page_of(name) {
    if (name ~ /^wegman_(store|counts)$/) return "wegman_link"
    if (name ~ /^wegman_kernel_/) return "wegman_algorithm"
    if (match(name, /^wegman_(umac64|pmac_aes128|link|umac128|pmac_segment|pmac_sum|carter128|key|stream|algorithm)/))
        return substr(name, 1, RLENGTH)
    return "wegman"
}

function add(page, text) {
    if (!(page in body)) pages[++count] = page
    body[page] = body[page] text "\n"
}

function roff(line) {
    gsub(/\\/, "\\e", line)
    gsub(/-/, "\\-", line)
    return line ~ /^[.']/ ? "\\&" line : line
}

function as_is(page, lines, n,   i) {
    add(page, ".nf")
    for (i = 1; i <= n; i++) add(page, roff(lines[i]))
    add(page, ".fi")
}

# A comment: indented lines are code or tables.
function prose(page, comment,   lines, n, i, code) {
    n = split(comment, lines, "\n") - 1
    for (i = 1; i <= n; i++) {
        if ((lines[i] ~ /^    /) != code) add(page, (code = !code) ? ".PP\n.nf" : ".fi")
        if (lines[i] == "" || !code && lines[i] ~ /^(Errors|Thread safety):/) add(page, ".PP")
        if (lines[i] != "") add(page, roff(lines[i]))
    }
    if (code) add(page, ".fi")
}

/^\/\*$/ && !declared { commented = 1; comment = ""; next }
/^ ?\*\/$/ && commented { commented = 0; if (top == "") top = comment; next }
commented { sub(/^ /, ""); comment = comment $0 "\n"; next }

{ sub(/^WEGMAN_MUST_USE ?/, "") }
/^typedef |^[a-z].*wegman_[a-z0-9_]*\(/ && !declared { declared = 1; declaration = "" }
declared && $0 != "" {
    declaration = declaration (declaration == "" ? "" : "\n") $0
    if ($0 !~ /;$/ || /^ .*[a-z\]];$/) next
    declared = 0
    # The name stands before the parameters, or ends a type.
    name = declaration
    if (name ~ /^typedef [^(]*$|^typedef enum|^typedef struct/) { sub(/;$/, "", name); sub(/.*[ }]/, "", name) }
    else { sub(/^typedef .*\(\*/, "", name); sub(/[()].*/, "", name); sub(/.*[ *]/, "", name) }
    page = page_of(name)
    if (declaration !~ /^typedef/) names[page] = names[page] (names[page] == "" ? "" : ", ") name
    add(page, ".SS " name)
    as_is(page, lines, split(declaration, lines, "\n"))
    add(page, ".PP")
    prose(page, comment)
}

END {
    # What each page is about is in the table at the top.
    n = split(top, lines, "\n")
    for (i = 1; i <= n; i++)
        for (p = 1; p <= count; p++)
            if (lines[i] ~ ("^    .*  .*" pages[p] "([_,]|$)")) {
                about[pages[p]] = lines[i]
                sub(/^ */, "", about[pages[p]])
                sub(/  .*/, "", about[pages[p]])
            }
    about["wegman"] = "fast message authentication with bounds on forgeries"
    names["wegman"] = "wegman, " names["wegman"]
    prose("top", top)
    for (p = 1; p <= count; p++) {
        page = pages[p]
        if (page == "top") continue
        file = out "/" page ".3"
        library = page ~ /_(carter128|key|stream|algorithm)$/ ? "wegman-catalogue" : "wegman"
        printf ".TH %s 3 \"\" \"wegman %s\"\n.nh\n.ad l\n.SH NAME\n", page, version >file
        printf "%s \\- %s\n.SH SYNOPSIS\n.nf\n#include <wegman.h>\n", names[page], about[page] >file
        printf "%s\n.fi\n.SH DESCRIPTION\n", roff("cc ... $(pkg-config --cflags --libs " library ")") >file
        printf "%s%s.SH SEE ALSO\n", page == "wegman" ? body["top"] : "", body[page] >file
        separator = ""
        for (q = 1; q <= count; q++)
            if (q != p && pages[q] != "top" && (page == "wegman" || pages[q] == "wegman")) {
                printf "%s%s(3)", separator, pages[q] >file
                separator = ",\n"
            }
        print "" >file
        close(file)
    }
}
