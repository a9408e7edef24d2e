module go_rows

go 1.19
